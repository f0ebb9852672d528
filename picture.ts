import type { Line } from './history.ts';
import { isClean } from './judge.ts';
import type { Verdict } from './judge.ts';
import { seriesOf } from './series.ts';
import type { Second, Series } from './series.ts';

const [width, left, right] = [1200, 64, 16];
const labelsHeight = 132;
const colours = { live: '#1d5fa8', served: '#9fb8a5', later: '#e39b2d', none: '#c0392b', fault: '#6b4fa0' };

interface Panel {
  readonly title: string;
  readonly top: number;
  readonly height: number;
  readonly most: number;
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
const round = (value: number) => value.toFixed(1);

/** A number a little above another, that reads well on an axis. */
const roundUp = (value: number): number => {
  const step = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return Math.max(1, Math.ceil(value / step) * step);
};

const xOf = (count: number) => (second: number) =>
  left + (second / Math.max(1, count - 1)) * (width - left - right);
const yOf =
  ({ top, height, most }: Panel) =>
  (value: number) =>
    top + height - (Math.min(value, most) / most) * height;

const frame = (panel: Panel): string => {
  const y = yOf(panel);
  const lines = [0, panel.most / 2, panel.most].map(
    (value) =>
      `<line x1="${left}" x2="${width - right}" y1="${round(y(value))}" y2="${round(y(value))}" class="grid"/>` +
      `<text x="${left - 8}" y="${round(y(value) + 4)}" class="axis" text-anchor="end">${value.toLocaleString('en-US')}</text>`,
  );
  return `<text x="${left}" y="${panel.top - 8}" class="title">${escaped(panel.title)}</text>${lines.join('')}`;
};

const path = (panel: Panel, seconds: readonly Second[], value: (second: Second) => number): string => {
  const [x, y] = [xOf(seconds.length), yOf(panel)];
  return seconds.map((second, at) => `${at === 0 ? 'M' : 'L'}${round(x(at))} ${round(y(value(second)))}`).join('');
};

const line = (panel: Panel, seconds: readonly Second[], value: (second: Second) => number, colour: string) =>
  `<path d="${path(panel, seconds, value)}" fill="none" stroke="${colour}" stroke-width="1.6"/>`;

/** A bar for each second with a value, standing on `below`. */
const bars = (panel: Panel, values: readonly number[], below: readonly number[], colour: string): string => {
  const [x, y] = [xOf(values.length), yOf(panel)];
  const wide = Math.max(1, (width - left - right) / values.length - 0.4);
  const bar = (value: number, at: number): string => {
    const under = below[at] ?? 0;
    const [low, high] = [y(under), y(under + value)];
    if (value === 0) return '';
    return `<rect x="${round(x(at))}" y="${round(high)}" width="${round(wide)}" height="${round(Math.max(0.5, low - high))}" fill="${colour}"/>`;
  };
  return values.map(bar).join('');
};

const bands = ({ bands: faults, seconds }: Series, bottom: number): string => {
  const x = xOf(seconds.length);
  const band = ({ name, from, to }: Series['bands'][number]): string => {
    const [start, wide] = [x(from), Math.max(2, x(to) - x(from))];
    return (
      `<rect x="${round(start)}" y="${labelsHeight}" width="${round(wide)}" height="${bottom - labelsHeight}" class="band"/>` +
      `<text transform="translate(${round(start + 4)} ${labelsHeight - 6}) rotate(-52)" class="fault">${escaped(name)}</text>`
    );
  };
  return faults.map(band).join('');
};

const timeAxis = (count: number, bottom: number): string => {
  const x = xOf(count);
  const every = [5, 10, 30, 60, 300].find((step) => count / step <= 14) ?? 600;
  const ticks = Array.from({ length: Math.floor((count - 1) / every) + 1 }, (_, index) => index * every);
  return ticks
    .map((at) => `<text x="${round(x(at))}" y="${bottom + 18}" class="axis" text-anchor="middle">${at} s</text>`)
    .join('');
};

const drawing = (series: Series): string => {
  const { seconds } = series;
  const most = (value: (second: Second) => number) => roundUp(Math.max(1, ...seconds.map(value)));
  const live: Panel = { title: 'live sessions', top: 170, height: 190, most: most((each) => each.live) };
  const all = most(({ served, later, none }) => served + later + none);
  const requests: Panel = { title: 'requests a second', top: 410, height: 170, most: all };
  const delay: Panel = {
    ...{ title: "lateness of the players' process, ms", top: 630, height: 60 },
    most: most(({ delayMs }) => delayMs),
  };
  const bottom = delay.top + delay.height;
  const served = seconds.map((each) => each.served);
  const later = seconds.map((each) => each.later);
  const both = served.map((value, at) => value + (later[at] ?? 0));
  const zero = served.map(() => 0);
  return [
    `<svg viewBox="0 0 ${width} ${bottom + 34}" role="img" aria-label="faults over time against live sessions and errors">`,
    ...[bands(series, bottom), frame(live), frame(requests), frame(delay)],
    line(live, seconds, (each) => each.live, colours.live),
    ...[bars(requests, served, zero, colours.served), bars(requests, later, served, colours.later)],
    bars(requests, seconds.map((each) => each.none), both, colours.none),
    line(delay, seconds, (each) => each.delayMs, '#555'),
    `${timeAxis(seconds.length, bottom)}</svg>`,
  ].join('\n');
};

const style = `body{font:15px/1.45 system-ui,sans-serif;margin:24px auto;max-width:${width}px;color:#222;background:#fff}
h1{font-size:20px;margin:0}p{margin:6px 0}table{border-collapse:collapse;margin-top:12px}td,th{padding:3px 14px 3px 0;text-align:left}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}.bad{color:${colours.none};font-weight:600}
.grid{stroke:#ddd}.axis{font-size:11px;fill:#666}.title{font-size:13px;font-weight:600;fill:#333}
.band{fill:${colours.fault};opacity:.14}.fault{font-size:11px;fill:${colours.fault}}
.key{display:inline-block;width:11px;height:11px;margin:0 4px 0 14px}`;

const key = (colour: string, text: string) => `<span class="key" style="background:${colour}"></span>${text}`;

const table = ({ findings }: Verdict): string => {
  const row = ({ id, says, checked, violations }: Verdict['findings'][number]) =>
    `<tr><td>${id}</td><td>${escaped(says)}</td><td class="n">${checked.toLocaleString('en-US')}</td>` +
    `<td class="n${violations.length > 0 ? ' bad' : ''}">${violations.length}</td></tr>`;
  return `<table><tr><th></th><th></th><th class="n">checked</th><th class="n">violated</th></tr>${findings.map(row).join('')}</table>`;
};

/** A page that needs nothing else: faults over time against live sessions and errors, and what was violated. */
export const picture = (lines: readonly Line[], verdict: Verdict): string => {
  const run = lines.find((each) => each.kind === 'run');
  const { played, billed, lost, doubleBilled } = verdict.seconds;
  const said = `played ${played} s, billed ${billed} s, lost ${lost} s, double-billed ${doubleBilled} s`;
  const what = run ? `${run.players} PCs, ${run.minutes} min, seed ${run.seed}` : '';
  const keys = [
    key(colours.live, 'live sessions'),
    key(colours.served, 'served'),
    key(colours.later, '503, come back later'),
    key(colours.none, 'no answer'),
    key(colours.fault, 'a fault, until it was made good'),
  ];
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>gsb: accuracy</title><style>${style}</style>
<h1>${escaped(said)}</h1><p${isClean(verdict) ? '' : ' class="bad"'}>${isClean(verdict) ? 'Nothing is violated.' : 'Violated.'} ${escaped(what)}</p>
${drawing(seriesOf(lines))}<p>${keys.join('')}</p>${table(verdict)}</html>
`;
};
