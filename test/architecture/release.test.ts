import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { gameObject, operatorObject } from '#libs/catalog/catalog-objects.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const named = z.object({ name: z.string(), kind: z.string(), version: z.string(), description: z.string() });

const chart = z
  .object({ version: z.string(), appVersion: z.string(), annotations: z.record(z.string(), z.string()) })
  .parse(parse(read('charts/gsb/Chart.yaml')));
const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')));
const annotation = (name: string): unknown => parse(chart.annotations[`artifacthub.io/${name}`] ?? '');

const crd = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    names: z.object({ kind: z.string() }),
    versions: z.tuple([
      z.object({
        name: z.string(),
        schema: z.object({ openAPIV3Schema: z.object({ description: z.string() }) }),
      }),
    ]),
  }),
});
const crds = readdirSync(join(root, 'charts/gsb/crds')).map((file) => {
  const { metadata, spec } = crd.parse(parse(read(`charts/gsb/crds/${file}`)));
  const [{ name, schema }] = spec.versions;
  const { description } = schema.openAPIV3Schema;
  return { name: metadata.name, kind: spec.names.kind, version: name, description };
});

const workflow = z.object({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.looseObject({
      uses: z.string().optional(),
      'timeout-minutes': z.number().optional(),
      steps: z.array(z.looseObject({ uses: z.string().optional() })).default([]),
    }),
  ),
});
const workflows = readdirSync(join(root, '.github/workflows')).map((name) => {
  const text = read(`.github/workflows/${name}`);
  return { name, text, ...workflow.parse(parse(text)) };
});

describe('a release', () => {
  test('has one version, for the product, the chart and the image that it installs', () => {
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
  });

  test('has a changelog that names its version or what is not released, and a way to upgrade to it', () => {
    const changes = [...read('charts/gsb/CHANGELOG.md').matchAll(/^## (.+?)(?: \(\d{4}-\d\d-\d\d\))?$/gm)];
    const upgrades = [...read('charts/gsb/UPGRADING.md').matchAll(/^### (.+)$/gm)];
    expect(changes.map(([, name]) => name)).toContain(version);
    expect(upgrades.map(([, name]) => name)).toEqual(changes.map(([, name]) => name));
  });

  test('tells Artifact Hub which resources it defines, with an example of each that the services read', () => {
    const told = z.array(named).parse(annotation('crds'));
    const examples = z.array(z.looseObject({ kind: z.string() })).parse(annotation('crdsExamples'));
    expect(told).toEqual(crds);
    expect(examples.map(({ kind }) => kind)).toEqual(crds.map(({ kind }) => kind));
    for (const each of examples)
      expect(() => z.union([gameObject, operatorObject]).parse(each)).not.toThrow();
  });
});

describe.each(workflows)('the workflow $name', ({ text, permissions, jobs }) => {
  test("runs code of others at a commit, not at a tag that may move, and says that commit's version", () => {
    const strange = [...text.matchAll(/uses: (.+)$/gm)]
      .map(([, used = '']) => used)
      .filter((used) => !used.startsWith('./') && !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(used));
    expect(strange).toEqual([]);
  });

  test('may read alone, unless a job needs more, and ends', () => {
    const endless = Object.entries(jobs).filter(([, job]) => !job.uses && !job['timeout-minutes']);
    expect(permissions).toEqual({ contents: 'read' });
    expect(endless.map(([name]) => name)).toEqual([]);
  });

  test('writes nothing that others decide into a command', () => {
    const scripts = [...text.matchAll(/run: \|\n((?: {10}.*\n)+)|run: (?!\|)(.+)/g)].map(([all]) => all);
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  });
});
