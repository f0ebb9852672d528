import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './renders.ts';

const chart = (name: string, ...path: string[]) => join(root, 'charts', name, ...path);

const testsOf = (name: string): string =>
  readdirSync(chart(name, 'tests'))
    .filter((file) => file.endsWith('_test.yaml'))
    .map((file) => readFileSync(chart(name, 'tests', file), 'utf8'))
    .join('\n');

/** A chart's templates that no suite names. */
const untested = (name: string): string[] => {
  const tests = testsOf(name);
  return readdirSync(chart(name, 'templates'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(yaml|txt)$/i.test(file))
    .filter((file) => !tests.includes(`templates/${file}`))
    .map(
      (file) => `charts/${name}/templates/${file} has no test: name it in a suite of charts/${name}/tests`,
    );
};

const quoted = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The sentences of the guards, with a hole for each value. */
const guards = (): { text: string; shape: RegExp }[] => {
  const files = readdirSync(chart('gsb', 'templates'))
    .filter((file) => file.endsWith('.tpl'))
    .map((file) => chart('gsb', 'templates', file));
  const source = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const calls = source.split('\n').filter((line) => line.includes('include "gsb.refuseIf"'));
  return calls.map((line) => {
    const [text = ''] = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)]
      .map(([, inner = '']) => inner)
      .filter((inner) => inner.includes(': ') || inner.includes(' is '));
    return { text, shape: new RegExp(`errorMessage: ['"]${quoted(text).replaceAll(/%[svd]/g, '.+')}['"]`) };
  });
};

const mostLines = 80;
const fewestCases = 20;

/** Values files that nobody would read to their end, and too few cases. */
const sizes = (): string[] => {
  const long = ['dev', 'qa', 'live']
    .map((environment) => `values-${environment}.yaml`)
    .filter((file) => readFileSync(chart('gsb', file), 'utf8').trimEnd().split('\n').length > mostLines)
    .map(
      (file) => `charts/gsb/${file} has more than ${mostLines} lines: move what is for all into values.yaml`,
    );
  const cases = readdirSync(chart('gsb', 'ci')).length;
  return cases < fewestCases
    ? [...long, `charts/gsb/ci has ${cases} cases, fewer than ${fewestCases}`]
    : long;
};

/** Templates without a test, guards whose sentence no test expects, values files that are too long. */
export const untold = (): string[] => {
  const tests = testsOf('gsb');
  return [
    ...untested('gsb'),
    ...untested('gsb-deps'),
    ...sizes(),
    ...guards()
      .filter(({ text, shape }) => text === '' || !shape.test(tests))
      .map(({ text }) => `no test expects the guard "${text}"`),
  ];
};
