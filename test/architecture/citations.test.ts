import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { specTables } from '../spec/rows.ts';

const root = resolve(import.meta.dirname, '../..');
const rooms = ['libs', 'services', 'deploy', 'charts', 'test', '.ci', '.config', '.github'];
const isGenerated = (file: string) => /^deploy\/generate\/api\/|^test\/charts\/golden\//.test(file);
const everyFile = [
  ...readdirSync(root),
  ...rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)),
  ),
].filter((file) => !isGenerated(file));
const texts = everyFile
  .filter((file) => /\.(ts|mjs|lua|sql|yaml|tpl|md|txt|py)$|Dockerfile$/.test(file))
  .filter((file) => !file.startsWith('test/architecture/'))
  .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n') }));

/** Each place where the pattern matches and `isDead` says that nothing stands behind it. */
const places = (pattern: RegExp, isDead: (match: RegExpExecArray) => boolean = () => true): string[] =>
  texts.flatMap(({ file, lines }) =>
    lines.flatMap((line, at) =>
      [...line.matchAll(pattern)].filter(isDead).map(([text]) => `${file}:${at + 1}: ${text}`),
    ),
  );

const decisions = new Set(
  [...readFileSync(join(root, 'libs/contracts/DECISIONS.md'), 'utf8').matchAll(/^## (D-\d\d): /gm)].map(
    ([, id]) => id,
  ),
);

/** Sections of the specification that state nothing to test. */
const untested = ['2.4'];
/** All sections: those that test/spec/ has files and tables for, and the chapters that these belong to. */
const sections = new Set(
  [...readdirSync(join(root, 'test/spec')), ...Object.keys(specTables), ...untested]
    .flatMap((name) => /^\d(\.\d)?/.exec(name)?.[0] ?? [])
    .flatMap((number) => [number, number.charAt(0)]),
);

const documents =
  /\b(architecture|contract|reliability|operations|security|style|brief|local-stack),? (part \d|idea [A-C]|[ABC]\b|R\d)|\bcontract of the launcher API|\(operations: |\bthe brief\b/gi;

describe('what is cited is in the repository', () => {
  test('documents', () => {
    expect([...places(documents), ...places(/\bR\d{1,2}\b/g)]).toEqual([]);
  });

  test('decisions', () => {
    expect(places(/\bD-\d+/g, ([id]) => !decisions.has(id))).toEqual([]);
  });

  test('promises', () => {
    expect(places(/\bI\d+\b/g, ([id]) => !/^I([1-9]|10)$/.test(id))).toEqual([]);
  });

  test('sections of the specification', () => {
    expect(sections.size).toBeGreaterThan(9);
    expect(
      places(
        /\bspec(?:ification)?,? (?:part |section )?(\d+(?:\.\d+)*)/gi,
        ([, it]) => !sections.has(it ?? ''),
      ),
    ).toEqual([]);
  });

  test('files that comments name', () => {
    const endings = new Set(
      everyFile.flatMap((file) => file.split('/').map((_, at, all) => all.slice(at).join('/'))),
    );
    const comment = /(?:^|\s)(?:\/\/|\/\*\*|\*|--|#|\{\{\/\*)\s(.*)$/;
    const named = /(?<![\w./<>*}-])[\w./-]*\w\.(?:ts|mjs|lua|sql|tpl|md)\b/g;
    const dead = texts.flatMap(({ file, lines }) =>
      lines.flatMap((line, at) =>
        [...(comment.exec(line)?.[1] ?? (file.endsWith('.md') ? line : '')).matchAll(named)]
          .filter(([name]) => !endings.has(name.replace(/^(\.\.?\/)+/, '')))
          .map(([name]) => `${file}:${at + 1}: ${name}`),
      ),
    );

    expect(dead).toEqual([]);
  });
});
