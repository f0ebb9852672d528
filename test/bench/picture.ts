import type { PhaseReport } from './report.ts';
import { lineOf } from './report.ts';
import type { Slice } from './recorder.ts';

const [width, height, left, bottom] = [1100, 200, 70, 24];
const colours = { p50: '#2563eb', p99: '#c2410c', max: '#d1d5db', answered: '#0f766e', notOk: '#dc2626' };
const decades = [0.1, 1, 10, 100, 1_000, 10_000, 100_000];

const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

type Scale = (value: number) => number;

/** Latencies span decades: their axis is logarithmic. */
const logScale =
  (slices: readonly Slice[]): Scale =>
  (ms) => {
    const most = Math.max(10, ...slices.map(({ maxMs }) => maxMs));
    const share = Math.log10(Math.max(ms, 0.1) / 0.1) / Math.log10(most / 0.1);
    return height - share * (height - 10);
  };

const curve = (slices: readonly Slice[], x: Scale, y: (slice: Slice) => number, colour: string): string => {
  const points = slices.map((slice) => `${x(slice.atSec).toFixed(1)},${y(slice).toFixed(1)}`).join(' ');
  return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.5"/>`;
};

const warmUps = (slices: readonly Slice[], x: Scale): string =>
  slices
    .filter(({ isWarmUp }) => isWarmUp)
    .map(
      ({ atSec }) => `<rect x="${x(atSec)}" y="0" width="${x(1) - x(0)}" height="${height}" fill="#f3f4f6"/>`,
    )
    .join('');

const legend = (texts: readonly [text: string, colour: string][]): string =>
  texts
    .map(
      ([text, colour], at) =>
        `<text x="${left + at * 130}" y="${height + 20}" fill="${colour}">${text}</text>`,
    )
    .join('');

const scaleX = (slices: readonly Slice[]): Scale => {
  const last = Math.max(1, ...slices.map(({ atSec }) => atSec + 1));
  return (sec) => left + (sec / last) * (width - left - 10);
};

const latencies = (slices: readonly Slice[]): string => {
  const [x, y] = [scaleX(slices), logScale(slices)];
  const lines = decades
    .filter((ms) => y(ms) >= 0)
    .map(
      (ms) =>
        `<line x1="${left}" x2="${width}" y1="${y(ms)}" y2="${y(ms)}" stroke="#e5e7eb"/>` +
        `<text x="${left - 8}" y="${y(ms) + 4}" text-anchor="end">${ms} ms</text>`,
    );
  const curves = [
    curve(slices, x, ({ maxMs }) => y(maxMs), colours.max),
    curve(slices, x, ({ p99Ms }) => y(p99Ms), colours.p99),
    curve(slices, x, ({ p50Ms }) => y(p50Ms), colours.p50),
  ];
  const names = legend([
    ['p50', colours.p50],
    ['p99', colours.p99],
    ['largest', colours.max],
    ['grey: warm-up', '#6b7280'],
  ]);
  return `<svg viewBox="0 0 ${width} ${height + bottom}">${warmUps(slices, x)}${lines.join('')}${curves.join('')}${names}</svg>`;
};

const answers = (slices: readonly Slice[]): string => {
  const x = scaleX(slices);
  const most = Math.max(1, ...slices.map(({ answered, notOk }) => Math.max(answered, notOk)));
  const y: Scale = (count) => height - (count / most) * (height - 10);
  const mark = (count: number) =>
    `<text x="${left - 8}" y="${y(count) + 4}" text-anchor="end">${count}/s</text>`;
  const curves =
    curve(slices, x, ({ answered }) => y(answered), colours.answered) +
    curve(slices, x, ({ notOk }) => y(notOk), colours.notOk);
  const names = legend([
    ['right answers', colours.answered],
    ['wrong, errors', colours.notOk],
  ]);
  return `<svg viewBox="0 0 ${width} ${height + bottom}">${warmUps(slices, x)}${mark(0)}${mark(most)}${curves}${names}</svg>`;
};

const ofPhase = (report: PhaseReport): string => {
  const { slices } = report.result;
  const { phase, offered_per_s: offered } = lineOf(report);
  const line = escaped(JSON.stringify(lineOf(report)));
  return `<h2>${phase}, ${offered}/s</h2>${latencies(slices)}${answers(slices)}<pre>${line}</pre>`;
};

/** All phases as one page that needs nothing else: latency and answers over time. */
export const pictureOf = (reports: readonly PhaseReport[], table: readonly string[]): string =>
  `<!doctype html><meta charset="utf-8"><title>bench</title><style>body{font:13px system-ui;max-width:${width}px;margin:24px auto}` +
  `svg{width:100%}text{font:11px system-ui;fill:#6b7280}pre{white-space:pre-wrap}</style><h1>gsb under load</h1>` +
  `<pre>${escaped(table.join('\n'))}</pre>${reports.map(ofPhase).join('')}`;
