import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const root = resolve(import.meta.dirname, '../..');

/** The part of skaffold's v4beta13 that we use; a field it does not have is refused here, as skaffold would. */
const release = z.strictObject({
  name: z.string(),
  chartPath: z.string().optional(),
  remoteChart: z.string().optional(),
  repo: z.url().optional(),
  version: z.string().optional(),
  valuesFiles: z.array(z.string()).default([]),
  namespace: z.string(),
  createNamespace: z.boolean().optional(),
  wait: z.boolean().optional(),
  setValues: z.record(z.string(), z.string()).default({}),
  setValueTemplates: z.record(z.string(), z.string()).default({}),
});
const hook = z.strictObject({ host: z.strictObject({ command: z.array(z.string()) }) });
const helm = z.strictObject({
  helm: z.strictObject({
    releases: z.array(release).min(1),
    hooks: z.strictObject({ after: z.array(hook) }).optional(),
  }),
});
const build = z.strictObject({
  tagPolicy: z.union([
    z.strictObject({ inputDigest: z.strictObject({}) }),
    z.strictObject({ gitCommit: z.strictObject({ variant: z.literal('AbbrevCommitSha') }) }),
  ]),
  artifacts: z.array(
    z.strictObject({
      image: z.string(),
      context: z.string(),
      docker: z.strictObject({ dockerfile: z.string(), target: z.string().optional() }),
      sync: z
        .strictObject({ manual: z.array(z.strictObject({ src: z.string(), dest: z.literal('/app') })) })
        .optional(),
    }),
  ),
  local: z.strictObject({ push: z.boolean() }).optional(),
});
const portForward = z.strictObject({
  ...{ resourceType: z.literal('service'), resourceName: z.string(), namespace: z.string() },
  ...{ port: z.int(), localPort: z.int() },
});
const profile = z.strictObject({
  name: z.string(),
  activation: z
    .array(z.strictObject({ kubeContext: z.string(), command: z.string().optional() }))
    .default([]),
  build: build.optional(),
  deploy: helm.optional(),
  manifests: helm.optional(),
  portForward: z.array(portForward).default([]),
});
const config = z.strictObject({
  apiVersion: z.literal('skaffold/v4beta13'),
  kind: z.literal('Config'),
  metadata: z.strictObject({ name: z.string() }),
  profiles: z.array(profile),
});

const dockerfile = readFileSync(join(root, 'deploy/image/Dockerfile'), 'utf8');
const { profiles } = config.parse(parse(readFileSync(join(root, 'skaffold.yaml'), 'utf8'), { merge: true }));
type Profile = (typeof profiles)[number];

const named = (name: string): Profile => {
  const found = profiles.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no profile ${name}`);
  return found;
};
const releasesOf = ({ deploy, manifests }: Profile) => [
  ...(deploy?.helm.releases ?? []),
  ...(manifests?.helm.releases ?? []),
];
const activeIn = (context: string, command: string): string[] =>
  profiles
    .filter(({ activation }) =>
      activation.some(
        (each) => new RegExp(each.kubeContext).test(context) && new RegExp(each.command ?? '').test(command),
      ),
    )
    .map(({ name }) => name);

describe('skaffold.yaml', () => {
  test.each([
    ['kind-gsb', 'dev', ['dev']],
    ['minikube', 'dev', ['dev']],
    ['gsb-qa', 'run', ['qa']],
    ['gsb-live', 'render', ['live-render']],
    ['gsb-live', 'run', []],
    ['gsb-live', 'dev', []],
    ['somebody-elses', 'dev', []],
    ['not-kind-of', 'dev', []],
  ])('in context %s, skaffold %s uses the profiles %j', (context, command, expected) => {
    expect(activeIn(context, command)).toEqual(expected);
  });

  test.each(profiles.map((each) => [each.name, each] as const))(
    'every file that %s names is there',
    (_, each) => {
      const dockerfiles = each.build?.artifacts.map(({ docker }) => docker.dockerfile) ?? [];
      const charts = releasesOf(each).flatMap(({ chartPath, valuesFiles }) => [
        ...(chartPath === undefined ? [] : [join(chartPath, 'Chart.yaml')]),
        ...valuesFiles,
      ]);
      expect([...dockerfiles, ...charts].filter((path) => !existsSync(join(root, path)))).toEqual([]);
    },
  );

  test('dev has the development dependencies first, qa and live have none', () => {
    const charts = (name: string) => releasesOf(named(name)).map(({ chartPath }) => chartPath);
    expect(charts('dev')).toEqual(['charts/gsb-deps', 'charts/gsb']);
    expect(charts('qa')).toEqual(['charts/gsb']);
    expect(charts('live-render')).toEqual(['charts/gsb']);
  });

  test('what is built is what is deployed, and a target is a stage of its Dockerfile', () => {
    for (const each of profiles) {
      // Names of variables have letters, digits and underscores alone.
      const built = each.build?.artifacts.map(({ image }) => image.replaceAll('-', '_')) ?? [];
      const used = releasesOf(each).flatMap(({ setValueTemplates }) =>
        Object.values(setValueTemplates).flatMap(
          (text) => /^\{\{\.IMAGE_(?:REPO|TAG|DIGEST|FULLY_QUALIFIED)_(\w+)\}\}$/.exec(text)?.[1] ?? [],
        ),
      );
      // observe is a profile beside dev, which builds.
      if (each.build !== undefined) expect([...new Set(used)].sort()).toEqual(built.sort());
      const targets = each.build?.artifacts.flatMap(({ docker }) => docker.target ?? []) ?? [];
      expect(targets.filter((target) => !dockerfile.includes(` AS ${target}\n`))).toEqual([]);
    }
  });

  test('dev copies TypeScript that has changed into pods, all that the image has of it, and nothing but dev may', () => {
    const [gsb] = named('dev').build?.artifacts ?? [];
    const copied = [...dockerfile.matchAll(/^COPY (libs|services|deploy\/operations) /gm)].map(
      ([, path]) => path,
    );
    expect(gsb?.docker.target).toBe('dev');
    expect(gsb?.sync?.manual.map(({ src }) => src).sort()).toEqual(
      copied.map((path) => `${path}/**/*.ts`).sort(),
    );
    expect(named('qa').build?.artifacts.filter(({ docker, sync }) => docker.target ?? sync)).toEqual([]);
  });

  test('dev makes the keys that helm test plays with', () => {
    const { deploy } = named('dev');
    const made = deploy?.helm.hooks?.after.flatMap(({ host }) => host.command).join(' ');
    expect(made).toContain('deploy/local/journey-keys.ts');
    expect(deploy?.helm.releases.at(-1)?.setValues).toMatchObject({ 'test.keysSecret': 'gsb-journey-keys' });
    expect(readFileSync(join(root, 'deploy/local/journey-keys.ts'), 'utf8')).toContain("'gsb-journey-keys'");
  });

  test('observe is dev with Prometheus and Grafana before it, at one version', () => {
    const [monitoring, ...others] = releasesOf(named('observe'));
    expect(monitoring).toMatchObject({ remoteChart: 'kube-prometheus-stack', namespace: 'monitoring' });
    expect(monitoring?.version).toMatch(/^\d+\.\d+\.\d+$/);
    const withoutValues = (name: string) =>
      releasesOf(named(name))
        .filter(({ chartPath }) => chartPath)
        .map((each) => ({ ...each, setValues: {} }));
    expect(withoutValues('observe')).toEqual(withoutValues('dev'));
    expect(others.at(-1)?.setValues).toMatchObject({ 'monitoring.podMonitor.enabled': 'true' });
    // A profile's hooks and ports take the place of those of the profile before it.
    expect(named('observe').deploy?.helm.hooks).toEqual(named('dev').deploy?.helm.hooks);
    expect(named('observe').portForward).toEqual(expect.arrayContaining(named('dev').portForward));
  });

  test('live is rendered and neither built nor deployed', () => {
    const live = named('live-render');
    expect(live.build).toBeUndefined();
    expect(live.deploy).toBeUndefined();
    expect(live.activation.map(({ command }) => command)).toEqual(['^render$']);
  });

  test('a port is forwarded to a service that the charts make', () => {
    for (const { resourceName } of named('dev').portForward) {
      const [, release = '', part = ''] = /^(gsb|deps)-(.+)$/.exec(resourceName) ?? [];
      const values = readFileSync(
        join(root, 'charts', release === 'gsb' ? 'gsb' : 'gsb-deps', 'values.yaml'),
        'utf8',
      );
      expect(values).toMatch(new RegExp(`^ *${part}:$`, 'm'));
    }
  });
});
