import { drawLogs } from './logs.mjs';
import { drawBoard, element } from './panels.mjs';
import { askedOfExplore } from './explore.mjs';
import { drawTraces } from './traces.mjs';

const everyMs = 15_000;
const main = document.getElementById('main');
const list = document.getElementById('boards');
const range = document.getElementById('range');
const get = async (path) => (await fetch(path)).json();
const [, kind, id] = location.pathname.split('/');

/** Each alert that fires leads to its runbook. */
const showAlerts = async () => {
  const runbooks = new Map(
    (await get('/api/alerts')).map(({ labels, annotations }) => [labels.alertname, annotations.runbook_url]),
  );
  const at = document.getElementById('alerts');
  at.className = runbooks.size === 0 ? 'calm' : 'firing';
  const links = [...runbooks].map(([name, href]) => Object.assign(element('a', '', name), { href }));
  at.replaceChildren(...(links.length === 0 ? ['no alert fires'] : ['firing: ', ...links]));
};

const parameters = new URLSearchParams(location.search);
const drawKind = {
  traces: () => drawTraces(id, main),
  logs: () => drawLogs({ q: parameters.get('q') ?? '' }, main),
  explore: () => {
    const { source, ...query } = askedOfExplore(parameters.get('panes'));
    return source === 'logs' ? drawLogs(query, main) : drawTraces(undefined, main, query);
  },
};
const isBoard = !(kind in drawKind);

const draw = async () => {
  document.body.dataset.drawn = 'no';
  await showAlerts().catch(() => undefined);
  if (isBoard) await drawBoard(await get(`/api/boards/${list.value}`), main, Number(range.value));
  else await drawKind[kind]();
  document.body.dataset.drawn = 'yes';
};

for (const { uid, title } of await get('/api/boards')) list.append(new Option(title, uid));
const asked = parameters.get('last');
if (asked) range.append(new Option(`${asked} s`, asked, true, true));
list.value = kind === 'd' && id ? id : 'gsb-overview';
list.addEventListener('change', () => (location.href = `/d/${list.value}`));
range.addEventListener('change', draw);
await draw();
if (isBoard) setInterval(draw, everyMs);
