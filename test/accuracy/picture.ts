import type { HistoryLine, LineOf } from './history.ts';

const [width, left, right, top] = [1200, 150, 20, 60];
const [chartHeight, rowHeight] = [180, 22];

const colours = {
  live: '#2563eb',
  errors: '#dc2626',
  service: '#7c3aed',
  store: '#c2410c',
  partner: '#0f766e',
};

const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

const ofKind = <K extends HistoryLine['kind']>(lines: readonly HistoryLine[], kind: K): LineOf<K>[] =>
  lines.filter((line): line is LineOf<K> => line.kind === kind);

/** Calls a second that got no answer, or 5xx. */
const errorsBySecond = (calls: readonly LineOf<'call'>[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const { at, took, status } of calls) {
    if (status !== 0 && status < 500) continue;
    const second = Math.floor((at + took) / 1000);
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }
  return counts;
};

type Scale = (value: number) => number;

const axis = (untilMs: number, x: Scale, bottom: number): string => {
  const stepMs = untilMs > 240_000 ? 30_000 : 10_000;
  const marks: string[] = [];
  for (let at = 0; at <= untilMs; at += stepMs) {
    marks.push(
      `<line x1="${x(at)}" x2="${x(at)}" y1="${top}" y2="${bottom}" stroke="#e5e7eb"/>`,
      `<text x="${x(at)}" y="${bottom + 16}" text-anchor="middle">${at / 1000} s</text>`,
    );
  }
  return marks.join('');
};

const levels = (most: number, y: Scale, label: string, colour: string): string =>
  `<text x="${left - 10}" y="${y(most) + 4}" text-anchor="end" fill="${colour}">${most}</text>` +
  `<text x="${left - 10}" y="${y(0) + 4}" text-anchor="end" fill="${colour}">0</text>` +
  `<text x="${left - 10}" y="${(y(0) + y(most)) / 2 + 4}" text-anchor="end" fill="${colour}">${label}</text>`;

const chart = (samples: readonly LineOf<'sample'>[], calls: readonly LineOf<'call'>[], x: Scale): string => {
  const errors = errorsBySecond(calls);
  const [mostLive, mostErrors] = [
    Math.max(1, ...samples.map(({ live }) => live)),
    Math.max(1, ...errors.values()),
  ];
  const [half, bottom] = [top + chartHeight, top + 2 * chartHeight];
  const liveY: Scale = (value) => half - 10 - (value / mostLive) * (chartHeight - 30);
  const errorsY: Scale = (value) => bottom - (value / mostErrors) * (chartHeight - 30);
  const points = samples.map(({ at, live }) => `${x(at).toFixed(1)},${liveY(live).toFixed(1)}`).join(' ');
  const bars = [...errors].map(
    ([second, count]) =>
      `<rect x="${x(second * 1000)}" width="${Math.max(1, x(1000) - x(0))}" y="${errorsY(count)}" height="${bottom - errorsY(count)}" fill="${colours.errors}"><title>${second} s: ${count} calls without an answer or with 5xx</title></rect>`,
  );
  return [
    `<polyline points="${points}" fill="none" stroke="${colours.live}" stroke-width="2"/>`,
    bars.join(''),
    levels(mostLive, liveY, 'players in a game', colours.live),
    levels(mostErrors, errorsY, 'errors a second', colours.errors),
  ].join('');
};

const colourOf = (name: string): string => {
  if (name === 'partner' || name === 'balance') return colours.partner;
  return /Redis|kafka|Postgres|events|leaders/i.test(name) ? colours.store : colours.service;
};

const faultRows = (faults: readonly LineOf<'fault'>[], x: Scale, from: number): string => {
  const names = [...new Set(faults.map(({ name }) => name))].toSorted();
  return names
    .map((name, row) => {
      const y = from + row * rowHeight;
      const bars = faults
        .filter((fault) => fault.name === name)
        .map(
          ({ at, until, what }) =>
            `<rect x="${x(at)}" width="${Math.max(3, x(until) - x(at))}" y="${y - 12}" height="14" rx="2" fill="${colourOf(name)}"><title>${escaped(`${(at / 1000).toFixed(1)} s: ${what}`)}</title></rect>` +
            `<line x1="${x(at)}" x2="${x(at)}" y1="${top}" y2="${y - 12}" stroke="${colourOf(name)}" stroke-opacity="0.25"/>`,
        );
      return `<text x="${left - 10}" y="${y}" text-anchor="end">${escaped(name)}</text>${bars.join('')}`;
    })
    .join('');
};

/** A page that shows faults over time against players and errors; it needs nothing from elsewhere. */
export const pictureOf = (lines: readonly HistoryLine[], headline: string): string => {
  const [calls, faults, samples] = [ofKind(lines, 'call'), ofKind(lines, 'fault'), ofKind(lines, 'sample')];
  const run = ofKind(lines, 'run')[0];
  const untilMs = Math.max(1_000, ...samples.map(({ at }) => at));
  const x: Scale = (at) => Math.round((left + (at / untilMs) * (width - left - right)) * 10) / 10;
  const bottom = top + 2 * chartHeight;
  const rows = new Set(faults.map(({ name }) => name)).size;
  const height = bottom + 60 + rows * rowHeight;
  const title = `${run?.players} players, ${run?.minutes} min, seed ${run?.seed}`;
  const drawing = [
    axis(untilMs, x, bottom),
    chart(samples, calls, x),
    faultRows(faults, x, bottom + 50),
    `<text x="${left}" y="24" font-size="16" font-weight="bold">${escaped(headline)}</text>`,
    `<text x="${left}" y="44">${escaped(title)}, ${calls.length.toLocaleString('en')} calls</text>`,
  ].join('\n');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="#111827" style="background:#fff">
${drawing}
</svg></html>
`;
};
