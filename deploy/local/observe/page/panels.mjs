import { leading, now, series, stepOf } from './prometheus.mjs';
import { inUnit } from './units.mjs';

const palette = [
  '#3b6fb6',
  '#d9822b',
  '#2f7d46',
  '#8e5bb5',
  '#c0392b',
  '#0f8b8d',
  '#b08900',
  '#6b7280',
  '#e06c9f',
  '#56799a',
];
const lineColours = { green: '#2f7d46', yellow: '#c98a00', red: '#c0392b' };

export const element = (tag, className, text) => {
  const created = document.createElement(tag);
  if (className) created.className = className;
  if (text !== undefined) created.textContent = text;
  return created;
};

const limitsOf = ({ fieldConfig }) => fieldConfig?.defaults?.thresholds?.steps;
const unitOf = ({ fieldConfig }) => fieldConfig?.defaults?.unit;

/** Thresholds as Grafana has them: the last step that the value reaches gives the colour. */
const colourOf = (value, steps) => {
  if (!steps || value === undefined || Number.isNaN(value)) return 'plain';
  return (
    steps.filter((step) => step.value === null || step.value === undefined || value >= step.value).at(-1)
      ?.color ?? 'plain'
  );
};

const drawNumber = async (panel, box, rangeSec) => {
  const value = await now(panel.targets[0], rangeSec);
  box.classList.add('stat', colourOf(value, limitsOf(panel)));
  const shown = panel.fieldConfig?.defaults?.decimals === 0 ? value && Math.round(value) : value;
  box.append(element('div', 'number', inUnit(shown, unitOf(panel))));
};

/** A line of its own on top of the data, so that a canvas can be drawn over. */
const canvasIn = (box) => {
  const plot = element('div', 'plot');
  const canvas = element('canvas');
  plot.append(canvas);
  box.append(plot);
  return canvas;
};

/** Points, with a break where there was nothing to tell for longer than from one of them to the next. */
const withBreaks = (points) => {
  const known = points.filter(({ y }) => !Number.isNaN(y));
  const apart = Math.min(...known.slice(1).map(({ x }, at) => x - known[at].x));
  return known.flatMap((point, at) =>
    at > 0 && point.x - known[at - 1].x > 1.5 * apart ? [{ x: known[at - 1].x, y: NaN }, point] : [point],
  );
};

const datasetOf = ({ name, points }, at, isStack) => ({
  label: name,
  data: withBreaks(points),
  borderColor: palette[at % palette.length],
  backgroundColor: `${palette[at % palette.length]}55`,
  // Each area lies upon the one below it, or their colours mix.
  fill: isStack ? (at === 0 ? 'origin' : '-1') : false,
  ...{ borderWidth: 1.5, pointRadius: 0, tension: 0 },
});

/** Areas upon each other need each time in all of them: one that began later was 0 before. */
const aligned = (found) => {
  const times = [...new Set(found.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  return found.map((each) => {
    const at = new Map(each.points.map(({ x, y }) => [x, y]));
    return { ...each, points: times.map((x) => ({ x, y: at.get(x) || 0 })) };
  });
};

/** Draws the limits of a panel as Grafana does: dashed, where they are within what is shown. */
const dashedLimits = (steps) => ({
  id: 'limits',
  beforeDatasetsDraw: ({ ctx, chartArea: { left, right }, scales: { y } }) => {
    ctx.save();
    ctx.setLineDash([4, 4]);
    for (const { value, color } of steps) {
      if (typeof value !== 'number' || value > y.max || value < y.min) continue;
      ctx.strokeStyle = lineColours[color];
      ctx.beginPath();
      ctx.moveTo(left, y.getPixelForValue(value));
      ctx.lineTo(right, y.getPixelForValue(value));
      ctx.stroke();
    }
    ctx.restore();
  },
});

/** A range of some minutes needs the seconds. */
const clock = (rangeSec) => (sec) => new Date(sec * 1000).toTimeString().slice(0, rangeSec < 900 ? 8 : 5);

/** Where there is nothing but 0, an axis that says so; otherwise the data says how high it is. */
const suggestedMax = (datasets, unit) => {
  if (datasets.some(({ data }) => data.some(({ y }) => y > 0))) return undefined;
  return unit === 's' ? 0.01 : 1;
};

const chartOptions = (panel, { isStack, rangeSec, datasets }) => ({
  ...{ animation: false, responsive: true, maintainAspectRatio: false, parsing: false, normalized: true },
  scales: {
    x: {
      ...{ type: 'linear', min: Date.now() / 1000 - rangeSec, max: Date.now() / 1000 },
      ticks: { callback: clock(rangeSec), maxTicksLimit: 6, maxRotation: 0 },
    },
    y: {
      ...{ stacked: isStack, beginAtZero: true, suggestedMax: suggestedMax(datasets, unitOf(panel)) },
      ticks: { callback: (value) => inUnit(value, unitOf(panel)), maxTicksLimit: 5 },
    },
  },
  plugins: {
    legend: { position: 'bottom', labels: { boxWidth: 8, boxHeight: 8, font: { size: 9 }, padding: 4 } },
    tooltip: {
      callbacks: { label: ({ dataset, parsed }) => `${dataset.label}: ${inUnit(parsed.y, unitOf(panel))}` },
    },
  },
});

const drawLines = async (panel, box, rangeSec) => {
  const found = (await Promise.all(panel.targets.map((target) => series(target, rangeSec)))).flat();
  if (found.length === 0) return void box.append(element('div', 'empty', 'nothing: it did not happen'));
  if (found.every(({ points }) => points.every(({ y }) => Number.isNaN(y))))
    return void box.append(element('div', 'empty', 'nothing lately: there was none of it'));
  const isStack = panel.fieldConfig?.defaults?.custom?.stacking?.mode === 'normal';
  const datasets = (isStack ? aligned(found) : found).map((each, at) => datasetOf(each, at, isStack));
  const isLimited = panel.fieldConfig?.defaults?.custom?.thresholdsStyle?.mode === 'dashed';
  new Chart(canvasIn(box), {
    type: 'line',
    data: { datasets },
    options: chartOptions(panel, { isStack, rangeSec, datasets }),
    plugins: isLimited ? [dashedLimits(limitsOf(panel))] : [],
  });
};

const mostColumns = 60;
/** No column is narrower than the points are apart: it would be empty although there was something. */
export const columnsOf = (rangeSec) => Math.min(mostColumns, Math.floor(rangeSec / stepOf(rangeSec)));

/** Buckets over time: what each one has more than the one below it, the darker the more. */
const drawHeatmap = async (panel, box, rangeSec) => {
  const bound = ({ le }) => (le === '+Inf' ? Infinity : Number(le));
  const found = (await series(panel.targets[0], rangeSec)).sort((one, other) => bound(one) - bound(other));
  if (found.length === 0) return void box.append(element('div', 'empty', 'nothing: it did not happen'));
  const columns = columnsOf(rangeSec);
  const begin = Date.now() / 1000 - rangeSec;
  const columnOf = ({ x }) => Math.floor(((x - begin) * columns) / rangeSec);
  const at = (points, column) => points.findLast((point) => columnOf(point) === column)?.y ?? 0;
  const rows = found.map(({ le, points }, row) => ({
    le,
    cells: Array.from(
      { length: columns },
      (_, column) => at(points, column) - (row === 0 ? 0 : at(found[row - 1].points, column)),
    ),
  }));
  const most = Math.max(...rows.flatMap(({ cells }) => cells), 1e-9);
  const table = element('table', 'cells');
  for (const { le, cells } of rows.reverse()) {
    const line = table.insertRow();
    line.insertCell().textContent = le === '+Inf' ? 'more' : `≤ ${le} s`;
    for (const value of cells)
      line.insertCell().style.background = `rgba(59,111,182,${Math.max(0, value / most)})`;
  }
  box.append(table);
};

const drawing = { stat: drawNumber, timeseries: drawLines, heatmap: drawHeatmap };

/** The links of a board or panel to traces, logs and runbooks; those to other boards are in the list above. */
const linksOf = (links = [], rangeSec) => {
  const bar = element('nav');
  for (const { title, url, tooltip } of links.filter(({ type }) => type === 'link'))
    bar.append(Object.assign(element('a', '', title), { href: leading(url, rangeSec), title: tooltip }));
  return bar;
};

const headOf = (panel, rangeSec) => {
  const { links = [], fieldConfig } = panel;
  const head = element('div', 'head');
  head.append(element('h3', '', panel.title));
  if (links.length > 0) {
    const runbooks = element('details');
    runbooks.append(element('summary', '', 'runbooks'), linksOf(links, rangeSec));
    head.append(runbooks);
  }
  head.append(linksOf(fieldConfig?.defaults?.links, rangeSec));
  return head;
};

const boxOf = (panel, rangeSec) => {
  const { x, y, w, h } = panel.gridPos;
  const isPanel = panel.type in drawing;
  const box = element('section', isPanel ? 'panel' : panel.type === 'row' ? 'row' : 'panel text');
  box.style.gridArea = `${y + 1} / ${x + 1} / span ${h} / span ${w}`;
  if (panel.type === 'row') box.textContent = panel.title;
  else if (!isPanel)
    box.innerHTML = (panel.options?.content ?? '')
      .replaceAll(/\*\*(.*?)\*\*/g, '<b>$1</b>')
      .replaceAll(/`(.*?)`/g, '<code>$1</code>');
  else box.append(headOf(panel, rangeSec), element('div', 'good', panel.description));
  box.title = panel.description ?? '';
  return box;
};

/** Draws a board of Grafana's into a box; resolves when every panel shows what it has. */
export const drawBoard = async (board, into, rangeSec) => {
  const grid = element('div', 'grid');
  into.replaceChildren(linksOf(board.links, rangeSec), grid);
  const work = board.panels.map(async (panel) => {
    const box = boxOf(panel, rangeSec);
    grid.append(box);
    try {
      await drawing[panel.type]?.(panel, box, rangeSec);
    } catch (error) {
      box.append(element('div', 'empty', String(error)));
    }
  });
  await Promise.all(work);
};
