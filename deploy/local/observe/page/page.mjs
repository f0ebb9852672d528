import { drawBoard } from './panels.mjs';
import { drawTraces } from './traces.mjs';

const everyMs = 15_000;
const main = document.getElementById('main');
const list = document.getElementById('boards');
const range = document.getElementById('range');
const get = async (path) => (await fetch(path)).json();
const [, kind, id] = location.pathname.split('/');
const asked = new URLSearchParams(location.search).get('last');

const showAlerts = async () => {
  const firing = (await get('/api/alerts')).map(({ labels }) => labels.alertname);
  const at = document.getElementById('alerts');
  at.textContent = firing.length === 0 ? 'no alert fires' : `firing: ${[...new Set(firing)].join(', ')}`;
  at.style.color = firing.length === 0 ? '#2f7d46' : '#c0392b';
};

const draw = async () => {
  document.body.dataset.drawn = 'no';
  await showAlerts().catch(() => undefined);
  if (kind === 'traces') await drawTraces(id, main);
  else await drawBoard(await get(`/api/boards/${list.value}`), main, Number(range.value));
  document.body.dataset.drawn = 'yes';
};

for (const { uid, title } of await get('/api/boards')) list.append(new Option(title, uid));
if (asked) range.append(new Option(`${asked} s`, asked, true, true));
list.value = kind === 'd' && id ? id : 'gsb-overview';
list.addEventListener('change', () => (location.href = `/d/${list.value}`));
range.addEventListener('change', draw);
await draw();
if (kind !== 'traces') setInterval(draw, everyMs);
