/** What a link to Grafana's Explore asks for: of traces by TraceQL, of logs by LogQL, as far as our boards use them. */
export const askedOfExplore = (panes) => {
  const [[source, { queries, range }]] = Object.entries(JSON.parse(panes));
  const [{ query = '', expr = '' }] = queries;
  const time = { from: range.from, to: range.to };
  if (source === 'logs') return { source, ...time, levels: /level=~"([^"]*)"/.exec(expr)?.[1] ?? '' };
  const texts = [...query.matchAll(/=~? "([^"]+)"/g)].map(([, text]) => text.replace('.*', ''));
  return {
    ...{ source, ...time, q: texts.filter((text) => text !== '').at(-1) ?? '' },
    min: /duration > (\d+)ms/.exec(query)?.[1] ?? '0',
    failed: query.includes('status = error') ? 'yes' : 'no',
  };
};
