import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { presetValues, presets } from '../../deploy/generate/charts/sizing/size-presets.ts';
import { readObjects } from './objects.ts';
import type { KubernetesObject } from './objects.ts';
import { run } from './programs.ts';

/** The top of the project. */
export const root = resolve(import.meta.dirname, '../..');

const chart = join(root, 'charts/gsb');
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

/** Values files on top of the chart's own, and a name. */
export interface Case {
  readonly name: string;
  /** The case that this one is compared with. */
  readonly on?: string;
  readonly chart: string;
  readonly values: readonly string[];
  /** What a site adds to them. */
  readonly settings?: readonly string[];
}

/** A case and what it renders to. */
export interface Render extends Case {
  readonly yaml: string;
  readonly objects: readonly KubernetesObject[];
}

const environments: readonly Case[] = [
  { name: 'default', chart, values: [] },
  ...['dev', 'qa', 'live'].map((name) => ({ name, chart, values: [join(chart, `values-${name}.yaml`)] })),
  { name: 'deps', chart: join(root, 'charts/gsb-deps'), values: [] },
];

const live = join(chart, 'values-live.yaml');
/** A Redis Cluster is a site's own. */
const nodes = ['redis.nodes[0]=redis-1.gsb.example:6380', 'redis.nodes[1]=redis-2.gsb.example:6380'];
const sizes: readonly Case[] = (Object.keys(presets) as (keyof typeof presets)[]).map((name) => ({
  ...{ name: `size-${name}`, on: 'live', chart },
  values: [live, join(chart, `values-size-${name}.yaml`)],
  ...('redis' in presetValues(name) && { settings: nodes }),
}));

const basis = (file: string): string => /^# on: (\w+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 'default';

/** The environments, the presets of sizes on live, and the named cases of charts/gsb/ci: each on the chart's own values, or on what its line "# on: live" names. */
export const cases = (): Case[] => {
  const named = readdirSync(join(chart, 'ci')).filter((file) => file.endsWith('.yaml'));
  return [
    ...environments,
    ...sizes,
    ...named.sort().map((file) => {
      const path = join(chart, 'ci', file);
      const on = basis(path);
      const below = environments.find(({ name }) => name === on)?.values ?? [];
      return { name: file.replace('.yaml', ''), on, chart, values: [...below, path] };
    }),
  ];
};

/** The manifest of a case as release gsb in namespace gsb, with settings of its own. Throws with what helm printed. */
export const renderWith = async (of: Case, settings: readonly string[]): Promise<string> => {
  const files = of.values.flatMap((file) => ['--values', file]);
  const pinned = of.chart === chart ? [`image.digest=${digest}`] : [];
  const set = [...pinned, ...(of.settings ?? []), ...settings].flatMap((each) => ['--set', each]);
  const release = of.chart === chart ? 'gsb' : 'deps';
  const args = ['template', release, of.chart, '--namespace', 'gsb', ...set, ...files];
  const rendered = await run('helm', args);
  if (rendered.code !== 0) throw new Error(`${of.name} does not render: ${rendered.stderr.trim()}`);
  return rendered.stdout;
};

/** Renders a case. Throws with what helm printed. */
export const render = async (of: Case): Promise<Render> => {
  const yaml = await renderWith(of, []);
  return { ...of, yaml, objects: readObjects(yaml) };
};
