const points = 120;
const rateWindow = '1m';

/** What Grafana puts in the place of its variables. */
const asked = (expression, rangeSec) =>
  expression
    .replaceAll('$__rate_interval', rateWindow)
    .replaceAll('$__range', `${rangeSec}s`)
    .replaceAll('$environment', '.*')
    .replaceAll('$game', '.*');

/** A link of a board with its variables put in, as Grafana does. */
export const leading = (url, rangeSec) =>
  url
    .replaceAll('${__from}', String(Date.now() - rangeSec * 1000))
    .replaceAll('${__to}', String(Date.now()))
    .replaceAll('${environment}', '.*')
    .replaceAll('${traces}', 'traces')
    .replaceAll('${logs}', 'logs');

const result = async (path, parameters) => {
  const response = await fetch(`/api/v1/${path}?${new URLSearchParams(parameters)}`);
  const body = await response.json();
  if (body.status !== 'success') throw new Error(body.error ?? `${path} failed`);
  return body.data.result;
};

/** A legend with its labels, `{{label}}`, put in. */
export const nameOf = (legend, metric) =>
  (legend ?? '').replaceAll(/\{\{(\w+)\}\}/g, (_, label) => metric[label] ?? '').trim() || 'value';

/** One value now; undefined where there is none. */
export const now = async (target, rangeSec) => {
  const [first] = await result('query', { query: asked(target.expr, rangeSec) });
  return first === undefined ? undefined : Number(first.value[1]);
};

/** How far apart the points of a range are. */
export const stepOf = (rangeSec) => Math.max(5, Math.round(rangeSec / points));

/** Series over the range: a name, and points of time (s) and value. */
export const series = async (target, rangeSec) => {
  const end = Math.floor(Date.now() / 1000);
  const found = await result('query_range', {
    ...{
      query: asked(target.expr, rangeSec),
      start: String(end - rangeSec),
      end: String(end),
      step: String(stepOf(rangeSec)),
    },
  });
  return found.map(({ metric, values }) => ({
    name: nameOf(target.legendFormat, metric),
    le: metric.le,
    points: values.map(([at, value]) => ({ x: at, y: Number(value) })),
  }));
};
