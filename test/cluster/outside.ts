import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { claim, environmentOf, inUse, isUp } from '../support/cluster-program.ts';
import { archivePreviousRelease, hasPreviousRelease } from '../support/previous-release.ts';
import { ran } from './programs.ts';
import { createStepReport, seconds } from './step-report.ts';

const root = resolve(import.meta.dirname, '../..');
const image = 'docker.io/local/gsb';
const cafeAddresses = ['203.0.113.10', '203.0.113.20', '203.0.113.30'];
const wholeTestMs = { usual: 900_000, long: 3_600_000 };

type Cluster = (...args: string[]) => Promise<string>;

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

/** The release before, as an image and a chart, where it is played with. */
const previousRelease = async (cluster: Cluster, args: readonly string[]): Promise<NodeJS.ProcessEnv> => {
  const isPlayed = args.includes('--long') || args.some((each) => each.includes('previous-release'));
  if (!isPlayed || !(await hasPreviousRelease())) return {};
  const folder = mkdtempSync(join(tmpdir(), 'gsb-previous-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const checkout = await archivePreviousRelease(folder);
  const name = `${image}:0`;
  await cluster(
    'image',
    'build',
    '--tag',
    name,
    '--file',
    join(checkout, 'deploy/image/Dockerfile'),
    checkout,
  );
  await cluster('image', 'load', name);
  return { GSB_PREVIOUS: `${join(checkout, 'charts/gsb')}=0` };
};

/** Addresses for the cafes, and the one pod of the ingress controller: asked directly, as by a load balancer that keeps the caller's address. */
const prepareNetwork = async (cluster: Cluster, env: NodeJS.ProcessEnv): Promise<string> => {
  for (const address of cafeAddresses)
    await cluster('run', '--', 'ip', 'address', 'replace', `${address}/32`, 'dev', 'lo');
  const which = ['--namespace', 'ingress', 'get', 'pods', '--selector', 'app=traefik'];
  return ran('kubectl', [...which, '--output', 'jsonpath={.items[0].status.podIP}'], { env });
};

/** Runs the test on the cluster's network, to its end. */
const runInside = async (
  program: string,
  { env, args }: { readonly env: NodeJS.ProcessEnv; readonly args: readonly string[] },
  started: (child: ChildProcess) => void,
) => {
  const node = [process.execPath, ...process.execArgv, join(import.meta.dirname, 'main.ts'), ...args];
  const child = spawn(program, ['run', '--', ...node], { stdio: 'inherit', env });
  started(child);
  const longest = wholeTestMs[args.length === 0 ? 'usual' : 'long'];
  const timer = setTimeout(() => child.kill('SIGTERM'), longest);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  return code ?? 1;
};

/** Brings a cluster up with the program, tests on its network, and takes it down again, whatever came of it; the exit code. */
export const testOutside = async (
  program: string,
  print: (line: string) => void,
  args: readonly string[],
): Promise<number> => {
  if (!(await claim('cluster'))) {
    print(inUse);
    return 1;
  }
  const began = performance.now();
  const report = createStepReport(print);
  // In a session of its own: what is up does not hear a terminal's Ctrl-C.
  const cluster: Cluster = (...args) => ran('setsid', ['--wait', program, ...args], { timeoutMs: 400_000 });
  const wasUp = await isUp(program);
  let child: ChildProcess | undefined;
  let isOver = false;
  const interrupted = (signal: NodeJS.Signals) => {
    isOver = true;
    child?.kill(signal);
  };
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted).on('SIGHUP', interrupted);
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
      ...(await previousRelease(cluster, args)),
    };
    if (isOver) return 1;
    const inside = { env: { ...env, ...place }, args };
    return runInside(program, inside, (started) => (child = started));
  };
  let code = 1;
  try {
    code = await test();
  } finally {
    if (!wasUp) await report.step('the cluster is down again', () => cluster('down').then(() => undefined));
    print(`${seconds((performance.now() - began) / 1000)} in all`);
  }
  return report.broken() === 0 ? code : 1;
};
