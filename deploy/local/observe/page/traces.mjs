import { element } from './panels.mjs';
import { inUnit } from './units.mjs';

const get = async (path) => (await fetch(path)).json();
const rowOf = (table, ...cells) => {
  const row = table.insertRow();
  for (const cell of cells) row.insertCell().append(cell);
  return row;
};
const linkTo = (traceId, text = traceId) =>
  Object.assign(element('a', '', text), { href: `/traces/${traceId}` });

/** The newest traces, or those that a text is found in: a request id, a session, a route. */
const drawList = async (into, asked) => {
  const search = Object.assign(element('input'), {
    ...{ placeholder: 'request id, route, service …', size: 40, value: asked.q ?? '' },
  });
  const more = [
    ...(Number(asked.min) > 0 ? [`with a span that took longer than ${inUnit(asked.min / 1000, 's')}`] : []),
    ...(asked.failed === 'yes' ? ['that failed'] : []),
  ].join(' and ');
  const table = element('table');
  const fill = async () => {
    table.replaceChildren();
    rowOf(table, 'begun', 'trace', 'what', 'took', 'spans', 'services');
    const found = await get(`/api/traces?${new URLSearchParams({ ...asked, q: search.value })}`);
    if (found.length === 0) rowOf(table, 'no trace is like that');
    for (const each of found) {
      const begun = new Date(each.startMs).toISOString().slice(11, 23);
      const what = `${each.isError ? '✕ ' : ''}${each.name}`;
      rowOf(
        table,
        begun,
        linkTo(each.traceId),
        what,
        inUnit(each.durationMs / 1000, 's'),
        String(each.spans),
        each.services.join(' → '),
      );
    }
  };
  search.addEventListener('change', fill);
  into.replaceChildren(search, more === '' ? '' : ` only those ${more}`, table);
  await fill();
};

const depthOf = (span, byId) => {
  let depth = 0;
  for (let at = span; at?.parentSpanId !== undefined && depth < 20; at = byId.get(at.parentSpanId))
    depth += 1;
  return depth;
};

/** The spans of one trace in the order of their beginnings, with their links to other traces. */
const drawTrace = async (traceId, into) => {
  const spans = (await get(`/api/traces/${traceId}`)).sort((one, other) => one.startMs - other.startMs);
  const table = element('table');
  const logs = Object.assign(element('a', '', 'its lines in the logs'), { href: `/logs?q=${traceId}` });
  into.replaceChildren(element('h2', '', `trace ${traceId}`), logs, table);
  if (spans.length === 0) return void rowOf(table, 'nothing is kept of it');
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const from = spans[0].startMs;
  // Parts of a trace are minutes apart (D-22): the bars show when a span began after the one above, on a logarithm.
  const place = (ms) => Math.log10(1 + Math.max(0, ms)) * 60;
  for (const span of spans) {
    const bar = element('div', span.isError ? 'bar bad' : 'bar');
    bar.style.marginLeft = `${place(span.startMs - from)}px`;
    bar.style.width = `${Math.max(2, place(span.endMs - from) - place(span.startMs - from))}px`;
    const links = element('span');
    for (const link of span.links) links.append(linkTo(link.traceId, `↗ ${link.traceId.slice(0, 8)}`), ' ');
    const name = element('span', '', `${span.service}  ${span.name}`);
    name.style.paddingLeft = `${depthOf(span, byId) * 14}px`;
    name.title = JSON.stringify(span.attributes, null, 1);
    rowOf(
      table,
      `+${inUnit((span.startMs - from) / 1000, 's')}`,
      name,
      inUnit((span.endMs - span.startMs) / 1000, 's'),
      bar,
      links,
    );
  }
};

export const drawTraces = (traceId, into, asked = {}) =>
  traceId ? drawTrace(traceId, into) : drawList(into, asked);
