import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { readObjects } from './objects.ts';
import { judge } from './policies/all.ts';
import { cases, renderWith, root } from './renders.ts';

const folder = join(root, 'test/charts/previous');

/**
 * Values files of a released version as a site has them, and what an upgrade with them says: one refusal after the other, each with what is
 * written for it, and at last it renders. Files of `chart` are those of today. The version's own cases (its charts/gsb/ci) that are not named
 * here are not refused.
 */
const upgrade = z.strictObject({
  name: z.string(),
  chart: z.array(z.string()).default([]),
  files: z.array(z.string()).default([]),
  refused: z
    .array(z.strictObject({ says: z.string(), write: z.record(z.string(), z.unknown()) }))
    .default([]),
});
type Upgrade = z.output<typeof upgrade>;

const text = (...path: string[]) => readFileSync(join(...path), 'utf8');

/** What UPGRADING.md says of the versions after this one. */
const told = (version: string): string => {
  const [, changes = ''] = text(root, 'charts/gsb/UPGRADING.md').split('## What each version changes');
  const [after = ''] = changes.split(`### ${version}`);
  return after;
};

/** Whether a table of UPGRADING.md names a key, or one above it; of each service alike as `services.….uses`, and of all as `autoscaling`. */
const isTold = (table: string, key: string): boolean => {
  const parts = key.replace(/^services\.[^.]+/, 'services.…').split('.');
  const names = parts.flatMap((_, at) => (at === 0 ? [] : [parts.slice(0, at + 1).join('.')]));
  return [...names, parts.slice(2).join('.')].some((name) => name !== '' && table.includes(`\`${name}`));
};

const messageOf = (error: unknown): string =>
  /execution error at \([^)]*\): (.*)/.exec(String(error))?.[1] ?? String(error);

const tried = (files: readonly string[]): Promise<{ yaml?: string; refusal: string }> => {
  const [gsb] = cases();
  if (gsb === undefined) throw new Error('there is no chart');
  return renderWith({ ...gsb, values: files }, []).then(
    (yaml) => ({ yaml, refusal: '' }),
    (error: unknown) => ({ refusal: messageOf(error) }),
  );
};

/** One upgrade: what it says that it should not, or does not say that it should. */
const problemsOf = async (
  version: string,
  { name, refused, ...of }: Upgrade,
  dir: string,
): Promise<string[]> => {
  let written = 0;
  const write = (values: unknown) => {
    const file = join(dir, `${name.replaceAll(/\W/g, '-')}-${(written += 1)}.yaml`);
    writeFileSync(file, stringify(values));
    return file;
  };
  const files = [
    ...of.chart.map((file) => join(root, 'charts/gsb', file)),
    ...of.files.map((file) => join(folder, version, file)),
  ];
  const found: string[] = [];
  for (const { says, write: remedy } of refused) {
    const { refusal } = await tried(files);
    if (!refusal.startsWith(says)) return [...found, `it says "${refusal}" and not "${says}"`];
    const [key = ''] = says.split(/[ ,]/);
    if (!isTold(told(version), key)) found.push(`UPGRADING.md does not tell that ${key} has changed`);
    files.push(write(remedy));
  }
  const { yaml, refusal } = await tried(files);
  return yaml === undefined ? [...found, `it says "${refusal}"`] : [...found, ...judge(readObjects(yaml))];
};

const versions = (): string[] =>
  [...text(root, 'charts/gsb/CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+) /gm)].map(
    ([, version = '']) => version,
  );

/** What a version's upgrades say, and its cases that say nothing: each on today's values of the environment that its line "# on: live" names. */
const upgradesOf = (version: string): Upgrade[] => {
  const named = z.array(upgrade).parse(parse(text(folder, version, 'upgrades.yaml')));
  const others = readdirSync(join(folder, version, 'ci'))
    .map((file) => `ci/${file}`)
    .filter((file) => !named.some(({ files }) => files.includes(file)));
  return [
    ...named,
    ...others.map((file): Upgrade => {
      const on = /^# on: (\w+)$/m.exec(text(folder, version, file))?.[1];
      return { name: file, chart: on === undefined ? [] : [`values-${on}.yaml`], files: [file], refused: [] };
    }),
  ];
};

/** Every values file of a version works with this chart, or is told key by key what to write, and works then. */
export const previousValues = async (): Promise<string[]> => {
  const known = readdirSync(folder);
  const dir = mkdtempSync(join(tmpdir(), 'gsb-previous-'));
  try {
    const found = await Promise.all(
      known.map(async (version) => {
        const problems = await Promise.all(
          upgradesOf(version).map(async (each) =>
            (await problemsOf(version, each, dir)).map((problem) => `${version}, ${each.name}: ${problem}`),
          ),
        );
        return problems.flat();
      }),
    );
    const missing = versions().filter((version) => !known.includes(version));
    return [
      ...found.flat(),
      ...missing.map(
        (version) => `test/charts/previous/${version} is not there: keep the values files of each release`,
      ),
    ];
  } finally {
    rmSync(dir, { recursive: true });
  }
};
