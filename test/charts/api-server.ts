import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { onInterrupt } from '../../deploy/local/on-interrupt.ts';
import type { Gap } from './gaps.ts';
import { environmentOf, isUp } from '../support/cluster-program.ts';
import { readKinds } from './kinds.ts';
import type { Kinds } from './kinds.ts';
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

/** A cluster that is up already is asked, and stays up. */
const bringUp = async (cluster: string): Promise<ApiServer> => {
  const wasUp = await isUp(cluster);
  const close = async () => {
    if (!wasUp) await run(cluster, ['down'], { timeoutMs: deadlineMs });
  };
  onInterrupt(close);
  try {
    await must(cluster, ['up', '--control-plane-only']);
    await must(cluster, ['crds']);
    const env = { ...process.env, ...environmentOf(await must(cluster, ['env'])) };
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

const kindsOf = async (env: NodeJS.ProcessEnv): Promise<Kinds> =>
  readKinds(
    await must('kubectl', ['api-resources', '--no-headers'], env),
    await must('kubectl', ['get', 'customresourcedefinitions', '--output', 'json'], env),
  );

/** Nothing is kept, so no namespace needs to be there but default. */
const inDefault = ({ metadata, ...object }: KubernetesObject) => ({
  ...object,
  metadata: { ...metadata, namespace: 'default' },
});

const complaints = (found: string): string[] =>
  found
    .split('\n')
    .filter((line) => line !== '' && (!line.startsWith('Warning') || line.includes('violate PodSecurity')))
    .filter((line) => !line.includes('missing the kubectl.kubernetes.io/last-applied-configuration'));

/** What no API server was asked about: kinds that this one does not know, and fields that its CRDs lack. */
const newNotes = () => {
  const notes = new Set<string>();
  return {
    notes,
    unknown: ({ apiVersion, kind }: KubernetesObject) =>
      notes.add(`${apiVersion} ${kind} was not judged: its CRD is not in this cluster`),
    gap: ({ kind, path, why }: Gap) => notes.add(`${path.join('.')} of ${kind} was not judged: ${why}`),
  };
};

/** What is to be asked about a render: what is known and was not asked yet, without what cannot be judged. */
const newAsking = (kinds: Kinds) => {
  const asked = new Set<string>();
  const { notes, unknown, gap } = newNotes();
  const fresh = (objects: readonly KubernetesObject[]): KubernetesObject[] => {
    for (const object of objects) if (!kinds.knows(object)) unknown(object);
    const isNew = (object: KubernetesObject) => {
      const text = JSON.stringify(object);
      return !asked.has(text) && asked.add(text);
    };
    const judgeable = objects.filter((object) => kinds.knows(object) && isNew(object)).map(kinds.judgeable);
    for (const each of judgeable.flatMap(({ gaps }) => gaps)) gap(each);
    return judgeable.map(({ object }) => object);
  };
  return { asked, notes, fresh };
};

/** What an API server says of all renders; equal objects are asked about once. */
export const dryRun = async ({ env }: ApiServer, renders: readonly Render[]) => {
  const { asked, notes, fresh } = newAsking(await kindsOf(env));
  const problems: string[] = [];
  for (const { name, objects } of renders) {
    const items = fresh(objects);
    if (items.length === 0) continue;
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: items.map(inDefault) });
    const args = ['apply', '--dry-run=server', '--filename', '-'];
    const { code, stderr } = await run('kubectl', args, { env, input, timeoutMs: deadlineMs });
    const found = complaints(stderr);
    problems.push(...found.map((line) => `${name}: ${line}`));
    if (code !== 0 && found.length === 0) problems.push(`${name}: ${items.map(called).join(', ')} failed`);
  }
  return { problems, asked: asked.size, notes: [...notes].sort() };
};
