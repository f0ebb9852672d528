import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const texts = (folders: string[], pattern: RegExp): string =>
  folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

const decisions = [
  ...readFileSync(join(root, 'libs/contracts/DECISIONS.md'), 'utf8').matchAll(/^\| (D-\d\d) \|/gm),
].map(([, id]) => id!);
const code = texts(['libs', 'services'], /\.(ts|lua|sql)$/);
const tests = texts(['test'], /\.test\.ts$/);

describe('where the specification is silent, a decision stands', () => {
  test('they are numbered in order, none twice', () => {
    expect(decisions).toEqual([...new Set(decisions)].toSorted());
  });

  test.each(decisions)('%s is cited by the code that obeys it', (id) => {
    expect(code).toContain(id);
  });

  test.each(decisions)('%s is named by a test', (id) => {
    expect(tests).toContain(id);
  });
});
