import { element } from './panels.mjs';

/** The newest lines of all logs, or those that follow an id through all services; each leads to its trace. */
export const drawLogs = async (asked, into) => {
  const search = Object.assign(element('input'), {
    ...{ placeholder: 'service, request id, session, trace …', size: 48, value: asked.q ?? '' },
  });
  const lines = element('div', 'lines');
  const fill = async () => {
    const found = await (
      await fetch(`/api/logs?${new URLSearchParams({ ...asked, q: search.value })}`)
    ).json();
    const drawn = found.map(({ text, level, traceId }) => {
      const line = element('div', level, text);
      if (traceId) line.append(' ', Object.assign(element('a', '', 'trace'), { href: `/traces/${traceId}` }));
      return line;
    });
    lines.replaceChildren(...(drawn.length === 0 ? ['no line is like that'] : drawn));
  };
  search.addEventListener('change', fill);
  into.replaceChildren(search, lines);
  await fill();
};
