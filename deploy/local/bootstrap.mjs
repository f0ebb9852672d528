// Runs first, on the system's Node, without any package: installs what the lock file says and hands over to Node 24.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const node24 = join(root, 'node_modules', '.bin', 'node');
const flags = ['--disable-warning=ExperimentalWarning', '--disable-warning=TimeoutNegativeWarning'];
const say = (text) => process.stderr.write(`${text}\n`);
const modified = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

const isInstalled = () =>
  modified(join(root, 'node_modules', '.package-lock.json')) >= modified(join(root, 'package-lock.json'));

/** npm's usage text and its warnings about engines say nothing of what went wrong. */
const isTelling = (line) =>
  /^npm error \S/.test(line) && !/^npm error (Options|Usage|Run|\[|npm ci|aliases)/.test(line);

const install = () => {
  const started = Date.now();
  say('… installing the packages (npm ci)');
  const { status, stdout, stderr } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) {
    say(`${stdout ?? ''}${stderr ?? ''}`.split('\n').filter(isTelling).slice(0, 15).join('\n'));
    say('npm ci failed; see above.');
    process.exit(1);
  }
  say(`✓ packages installed (${((Date.now() - started) / 1000).toFixed(1)} s)`);
};

/** With install scripts off, the package "node" has no binary; it is then fetched by running its script. */
const haveNode24 = () => {
  const version = () => spawnSync(node24, ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const works = () => Number(/^v24\.(\d+)\./.exec(version())?.[1] ?? 0) >= 3;
  if (works()) return true;
  spawnSync('npm', ['rebuild', 'node', '--ignore-scripts=false'], { cwd: root });
  return works();
};

if (!isInstalled()) install();
if (!haveNode24()) {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  say(
    `Node ${devDependencies.node} is not in node_modules: install scripts are off. Run: npm rebuild node --ignore-scripts=false`,
  );
  process.exit(1);
}
const child = spawn(node24, [...flags, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: {
    ...process.env,
    PATH: `${dirname(node24)}:${process.env.PATH ?? ''}`,
    KAFKAJS_NO_PARTITIONER_WARNING: '1',
  },
});
// A terminal's Ctrl-C reaches the child by itself too: what runs there takes two within half a second for one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
