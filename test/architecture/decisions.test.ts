import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { operatorRoles } from '#libs/contracts/operators.ts';

const root = resolve(import.meta.dirname, '../..');
const texts = (folders: string[], pattern: RegExp): string =>
  folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

const document = readFileSync(join(root, 'libs/contracts/DECISIONS.md'), 'utf8');
const headings = [...document.matchAll(/^## (D-\d\d): (.+)$/gm)];
const decisions = headings.map(([, id]) => id!);
/** The anchor that a heading gets where Markdown is rendered. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
const code = texts(['libs', 'services'], /\.(ts|lua|sql)$/);
const tests = texts(['test'], /\.test\.ts$/);

describe('where the specification is silent, a decision stands', () => {
  test('they are numbered in order, none twice', () => {
    expect(decisions).toEqual([...new Set(decisions)].toSorted());
  });

  test('the contents lead to each of them', () => {
    const links = [...document.matchAll(/\[(D-\d\d [^\]]+)\]\(#([\w-]+)\)/g)].map(([, text, anchor]) => [
      text,
      anchor,
    ]);
    const expected = headings.map(([, id, title]) => [`${id} ${title}`, anchorOf(`${id}: ${title}`)]);
    expect(links.toSorted()).toEqual(expected.toSorted());
  });

  test.each(decisions)('%s is cited by the code that obeys it', (id) => {
    expect(code).toContain(id);
  });

  test.each(decisions)('%s is named by a test', (id) => {
    expect(tests).toContain(id);
  });
});

test.each(operatorRoles)('the role %s is one of those that D-40 lists', (role) => {
  const [, operators = ''] = document.split('## D-40: ');
  expect(operators.split('\n\n')[1]).toContain(`\`${role}\``);
});
