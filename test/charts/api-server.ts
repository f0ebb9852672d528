import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject } from './objects.ts';
import { called } from './objects.ts';
import { run } from './programs.ts';
import { root } from './renders.ts';
import type { Render } from './renders.ts';

const deadlineMs = 180_000;

/** An API server to ask, by the environment that kubectl needs; `close` puts away what was started for it. */
export interface ApiServer {
  readonly env: NodeJS.ProcessEnv;
  readonly close: () => Promise<void>;
}

const reaches = async (env: NodeJS.ProcessEnv): Promise<boolean> =>
  (await run('kubectl', ['version', '--request-timeout=5s'], { env })).code === 0;

const exports = (shell: string): NodeJS.ProcessEnv =>
  Object.fromEntries(
    [...shell.matchAll(/^export (\w+)="?([^"\n]*)"?$/gm)].map(([, name = '', value = '']) => [
      name,
      value.replace('$PATH', process.env['PATH'] ?? ''),
    ]),
  );

const must = async (program: string, args: string[], env?: NodeJS.ProcessEnv): Promise<string> => {
  const { code, stdout, stderr } = await run(program, args, { env, timeoutMs: deadlineMs });
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr || stdout}`);
  return stdout;
};

const ourCrds = join(root, 'charts/gsb/crds');
const hasCrds = (): boolean => {
  try {
    return readdirSync(ourCrds).length > 0;
  } catch {
    return false;
  }
};

const bringUp = async (cluster: string): Promise<ApiServer> => {
  await must(cluster, ['up', '--control-plane-only']);
  const close = async () => {
    await run(cluster, ['down'], { timeoutMs: deadlineMs });
  };
  try {
    await must(cluster, ['crds']);
    const env = { ...process.env, ...exports(await must(cluster, ['env'])) };
    if (hasCrds()) await must('kubectl', ['apply', '-f', ourCrds], env);
    return { env, close };
  } catch (error) {
    await close();
    throw error;
  }
};

/** The cluster of KUBECONFIG where it answers, or one of its own by the program that GSB_CLUSTER names; undefined where there is neither. */
export const findApiServer = async (): Promise<ApiServer | undefined> => {
  const cluster = process.env['GSB_CLUSTER'];
  if (cluster !== undefined && cluster !== '') return bringUp(cluster);
  if (process.env['KUBECONFIG'] === undefined || !(await reaches(process.env))) return undefined;
  return { env: process.env, close: async () => undefined };
};

/** Kinds that this API server does not know are not judged. */
const knownKinds = async (env: NodeJS.ProcessEnv): Promise<ReadonlySet<string>> => {
  const table = await must('kubectl', ['api-resources', '--no-headers'], env);
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/));
  return new Set(rows.map((columns) => `${columns.at(-3) ?? ''}/${columns.at(-1) ?? ''}`));
};

/** Nothing is kept, so no namespace needs to be there but default. */
const inDefault = ({ metadata, ...object }: KubernetesObject) => ({
  ...object,
  metadata: { ...metadata, namespace: 'default' },
});

const complaints = (said: string): string[] =>
  said
    .split('\n')
    .filter((line) => line !== '' && (!line.startsWith('Warning') || line.includes('violate PodSecurity')))
    .filter((line) => !line.includes('missing the kubectl.kubernetes.io/last-applied-configuration'));

/** What an API server says of all renders; equal objects are asked about once. */
export const dryRun = async ({ env }: ApiServer, renders: readonly Render[]) => {
  const known = await knownKinds(env);
  const asked = new Set<string>();
  const unknown = new Set<string>();
  const problems: string[] = [];
  for (const { name, objects } of renders) {
    const fresh = objects.filter((object) => {
      const isKnown = known.has(`${object.apiVersion}/${object.kind}`);
      if (!isKnown) unknown.add(`${object.apiVersion} ${object.kind}`);
      const text = JSON.stringify(object);
      const isNew = isKnown && !asked.has(text);
      if (isNew) asked.add(text);
      return isNew;
    });
    if (fresh.length === 0) continue;
    const list = { apiVersion: 'v1', kind: 'List', items: fresh.map(inDefault) };
    const args = ['apply', '--dry-run=server', '--filename', '-'];
    const { code, stderr } = await run('kubectl', args, {
      env,
      input: JSON.stringify(list),
      timeoutMs: deadlineMs,
    });
    const said = complaints(stderr);
    problems.push(...said.map((line) => `${name}: ${line}`));
    if (code !== 0 && said.length === 0) problems.push(`${name}: ${fresh.map(called).join(', ')} failed`);
  }
  return { problems, asked: asked.size, unknown: [...unknown].sort() };
};
