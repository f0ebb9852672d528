import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runbookFiles } from '../../deploy/observability/alerts/runbook-files.ts';
import { podsOf } from './objects.ts';
import type { KubernetesObject } from './objects.ts';
import { root } from './renders.ts';
import type { Render } from './renders.ts';

const readme = (): string => readFileSync(join(root, 'charts/gsb/README.md'), 'utf8');
const texts = (): [name: string, text: string][] => [
  ...Object.entries(runbookFiles()),
  ['charts/gsb/README.md', readme()],
];

const isThere = (objects: readonly KubernetesObject[], kind: string, name: string): boolean =>
  objects.some((object) => object.kind.toLowerCase() === kind && object.metadata.name === name);

const argsOf = (objects: readonly KubernetesObject[], name: string): string[] =>
  podsOf(objects)
    .filter(({ owner }) => owner.kind === 'CronJob' && owner.metadata.name === name)
    .flatMap(({ spec }) => spec.containers.flatMap(({ args }) => args));

/** What a text names of the release gsb, and the render has not. */
const absent = (text: string, objects: readonly KubernetesObject[]): string[] =>
  [...text.matchAll(/\b(cronjob|deployment|service)\/(gsb-[a-z-]+)/g)]
    .filter(([, kind = '', name = '']) => !isThere(objects, kind, name))
    .map(([what]) => `${what} is not there`);

/** Arguments of a CronJob that a text would replace, and it has not. */
const unreplaced = (text: string, objects: readonly KubernetesObject[]): string[] =>
  [...text.matchAll(/--from=cronjob\/(\S+) --dry-run=client.*\\\n(.*)/g)].flatMap(
    ([, name = '', edits = '']) =>
      [...edits.matchAll(/'s\/- (.*?)\$?\//g)]
        .filter(([, arg = '']) => !argsOf(objects, name).includes(arg))
        .map(([, arg]) => `cronjob/${name} has no argument ${arg}`),
  );

/** What runbooks and the README tell operators to run names what qa and live have as they stand. */
export const toldCommands = (renders: readonly Render[]): string[] =>
  renders
    .filter(({ name }) => ['qa', 'live'].includes(name))
    .flatMap(({ name, objects }) =>
      texts().flatMap(([file, text]) =>
        [...absent(text, objects), ...unreplaced(text, objects)].map(
          (problem) => `${file} in ${name}: ${problem}`,
        ),
      ),
    );
