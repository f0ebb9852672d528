import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { run } from '../charts/programs.ts';
import { ran } from './programs.ts';
import { createStepReport, seconds } from './step-report.ts';

const root = resolve(import.meta.dirname, '../..');
const image = 'docker.io/local/gsb';
const cafeAddresses = ['203.0.113.10', '203.0.113.20', '203.0.113.30'];
const wholeTestMs = 900_000;

type Cluster = (...args: string[]) => Promise<string>;

/** What `cluster env` prints for a shell. */
const environmentOf = (shell: string): NodeJS.ProcessEnv => {
  const pairs = [...shell.matchAll(/^export (\w+)="?([^"\n#]*?)"?\s*(?:#.*)?$/gm)];
  const path = process.env['PATH'] ?? '';
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value.replace('$PATH', path)]));
};

/** The product and its simulators, each under two tags. */
const images = ['1', '2'].flatMap((tag) => [
  { name: `${image}:${tag}`, target: [] },
  { name: `${image}-simulators:${tag}`, target: ['--target', 'simulators'] },
]);

const buildImages = async (cluster: Cluster): Promise<void> => {
  const file = join(root, 'deploy/image/Dockerfile');
  for (const { name, target } of images)
    await cluster('image', 'build', '--tag', name, ...target, '--file', file, root);
};

/** Addresses for the cafes, and the one pod of the ingress controller: asked directly, as by a load balancer that keeps the caller's address. */
const prepareNetwork = async (cluster: Cluster, env: NodeJS.ProcessEnv): Promise<string> => {
  for (const address of cafeAddresses)
    await cluster('run', '--', 'ip', 'address', 'replace', `${address}/32`, 'dev', 'lo');
  const which = ['--namespace', 'ingress', 'get', 'pods', '--selector', 'app=traefik'];
  return ran('kubectl', [...which, '--output', 'jsonpath={.items[0].status.podIP}'], { env });
};

/** Runs the test on the cluster's network, to its end. */
const runInside = async (program: string, env: NodeJS.ProcessEnv, started: (child: ChildProcess) => void) => {
  const node = [process.execPath, ...process.execArgv, join(import.meta.dirname, 'main.ts')];
  const child = spawn(program, ['run', '--', ...node], { stdio: 'inherit', env });
  started(child);
  const timer = setTimeout(() => child.kill('SIGTERM'), wholeTestMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  return code ?? 1;
};

/** Brings a cluster up with the program, tests on its network, and takes it down again, whatever came of it; the exit code. */
export const testOutside = async (program: string, print: (line: string) => void): Promise<number> => {
  const began = performance.now();
  const report = createStepReport(print);
  // In a session of its own: what is up does not hear a terminal's Ctrl-C.
  const cluster: Cluster = (...args) => ran('setsid', ['--wait', program, ...args], { timeoutMs: 400_000 });
  const wasUp = (await run(program, ['status'])).code === 0;
  let child: ChildProcess | undefined;
  let isOver = false;
  const interrupted = (signal: NodeJS.Signals) => {
    isOver = true;
    child?.kill(signal);
  };
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  const test = async (): Promise<number> => {
    const built = report.step('the images are built, under two tags', () =>
      buildImages(cluster).then(() => undefined),
    );
    const up = await report.step('a cluster is up', () => cluster('up').then(() => undefined));
    if (!(await built) || !up || isOver) return 1;
    const env = { ...process.env, ...environmentOf(await cluster('env')) };
    await report.step('the node has the images', async () => {
      for (const { name } of images) await cluster('image', 'load', name);
      return undefined;
    });
    const place = {
      GSB_CLUSTER: '',
      GSB_NODE_ADDRESS: env['CLUSTER_NODE_IP'],
      GSB_EDGE_ADDRESS: await prepareNetwork(cluster, env),
      GSB_CAFE_ADDRESSES: cafeAddresses.join(','),
      GSB_GATEWAY: 'ingress/edge',
      GSB_IMAGE: `${image}:1`,
      GSB_NEXT_IMAGE: `${image}:2`,
    };
    if (isOver) return 1;
    const code = await runInside(program, { ...env, ...place }, (started) => (child = started));
    return report.broken() === 0 ? code : 1;
  };
  try {
    return await test();
  } finally {
    if (!wasUp) await run(program, ['down'], { timeoutMs: 60_000 });
    print(`${seconds((performance.now() - began) / 1000)} in all`);
  }
};
