import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { differences } from './compare.ts';
import { root } from './renders.ts';
import type { Render } from './renders.ts';

const folder = join(root, 'test/charts/golden');

/** A dashboard is generated and compared where it is made; here its digest stands for its thousand lines. */
const digest = (text: string): string =>
  `sha256 ${createHash('sha256').update(text.replaceAll(/\s/g, '')).digest('hex')}`;
const withDigests = (yaml: string): string =>
  yaml.replace(/^( {2}[\w-]+\.json:) \|-?\n((?:(?: {4}.*)?\n)+)/gm, (_, key: string, text: string) => {
    return `${key} ${digest(text)}\n`;
  });
const abbreviated = (objects: Render['objects']): Render['objects'] =>
  objects.map((object) => {
    const { data } = object as { data?: Record<string, unknown> };
    if (object.kind !== 'ConfigMap' || data === undefined) return object;
    const short = Object.entries(data).map(([name, text]) => [
      name,
      name.endsWith('.json') && typeof text === 'string' ? digest(text) : text,
    ]);
    return { ...object, data: Object.fromEntries(short) as Record<string, unknown> };
  });

/** An environment is kept whole; a case as what it changes. */
const textOf = (render: Render, all: readonly Render[]): [file: string, text: string] => {
  if (render.on === undefined) return [`${render.name}.yaml`, withDigests(render.yaml)];
  const basis = all.find(({ name }) => name === render.on);
  const lines = differences(abbreviated(basis?.objects ?? []), abbreviated(render.objects));
  return [`${render.name}.changes`, `${[`on ${render.on}`, ...lines].join('\n')}\n`];
};

const firstDifference = (was: string, is: string): string => {
  const [before, after] = [was.split('\n'), is.split('\n')];
  const line = after.findIndex((text, index) => text !== before[index]);
  const at = line === -1 ? after.length : line;
  return `line ${at + 1}: was "${before[at] ?? ''}", is "${after[at] ?? ''}"`;
};

/** Compares every render with what was agreed on, or makes it what is agreed on; says what is different. */
export const compareGolden = (renders: readonly Render[], update: boolean): string[] => {
  mkdirSync(folder, { recursive: true });
  const wanted = new Map(renders.map((render) => textOf(render, renders)));
  const stale = readdirSync(folder).filter((file) => !wanted.has(file));
  if (update) {
    for (const file of stale) rmSync(join(folder, file));
    for (const [file, text] of wanted) writeFileSync(join(folder, file), text);
    return [];
  }
  const different = [...wanted].flatMap(([file, text]) => {
    const path = join(folder, file);
    const was = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return was === text ? [] : [`${file} is not what was agreed on; ${firstDifference(was, text)}`];
  });
  const found = [...different, ...stale.map((file) => `${file} belongs to no case`)];
  return found.length === 0 ? [] : [...found, 'If this is meant: npm run test:charts -- --update'];
};
