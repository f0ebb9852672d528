import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const rooms = ['libs', 'services', 'deploy', 'test', 'charts', '.ci', '.config', '.github'];
const topLevel = [
  'README.md',
  'package.json',
  'skaffold.yaml',
  'tsconfig.json',
  '.prettierignore',
  '.gitignore',
];

/** Written by programs, not by people; what they name is named by their sources too. */
const isGenerated = (file: string) => /^test\/charts\/golden\/|\.openapi\.json$/.test(file);
const filesBelow = (room: string): string[] =>
  readdirSync(join(root, room), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
const files = [...topLevel, ...rooms.flatMap(filesBelow)].filter((file) => !isGenerated(file));
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const baseNames = new Set(files.map((file) => basename(file)));

/** `a/{b,c}.ts` as `a/b.ts` and `a/c.ts`. */
const expanded = (path: string): string[] => {
  const [whole, choices] = /\{([^{}]*,[^{}]*)\}/.exec(path) ?? [];
  return whole === undefined || choices === undefined
    ? [path]
    : choices.split(',').flatMap((choice) => expanded(path.replace(whole, choice.trim())));
};

/** Up to the first folder or file that is a placeholder: `<name>`, `*`, `${name}`, `{{ .name }}`, `:name`, `…`. */
const certainPart = (path: string) => path.replace(/\/[^/]*[<*$:…].*$|\/[^/]*\{\{.*$/, '');
/** Seen from the file that names it, or from the top of the project. */
const isThere = (file: string, path: string) =>
  [dirname(file), '.'].some((from) => existsSync(join(root, from, certainPart(path))));

const roomPath =
  /(?<![\w@.-]|[\w>}]\/)((?:\.{1,2}\/)*(?:libs|services|deploy|test|charts|\.ci|\.github|\.config)\/[\w./<>*${},:…-]*[\w>*}])/g;
const mentions = (text: string) => [...text.matchAll(roomPath)].flatMap(([, path = '']) => expanded(path));

const missing = (chosen: readonly string[], namedIn: (text: string) => string[]) =>
  chosen.flatMap((file) =>
    namedIn(textOf(file))
      .filter((path) => !isThere(file, path))
      .map((path) => `${file} names ${path}`),
  );

const links = (text: string) =>
  [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(([, path = '']) => path);
const besideModule = (text: string) =>
  [...text.matchAll(/new URL\('([^']+)', import\.meta\.url\)/g)].map(([, path = '']) => path);

describe('a file that is named is there', () => {
  test('where a chart, a Dockerfile, a script, a document or a program names it by its path', () => {
    expect(missing(files, mentions)).toEqual([]);
  });

  test('where a document links to it', () => {
    expect(
      missing(
        files.filter((file) => file.endsWith('.md')),
        links,
      ),
    ).toEqual([]);
  });

  test('where a program looks for it beside itself', () => {
    expect(
      missing(
        files.filter((file) => file.endsWith('.ts')),
        besideModule,
      ),
    ).toEqual([]);
  });

  test('where a document or a chart names it by its name alone', () => {
    const texts = files.filter((file) => /\.(md|ya?ml|tpl|txt)$|Dockerfile/.test(file));
    const bareNames = (text: string) =>
      [...text.matchAll(/(?<![\w/.-])[\w-]+(?:\.test)?\.(?:ts|mjs|sql|lua)\b/g)].map(([name]) => name);
    const strays = texts.flatMap((file) =>
      bareNames(textOf(file))
        .filter((name) => !baseNames.has(name))
        .map((name) => `${file} names ${name}`),
    );
    expect(strays).toEqual([]);
  });
});
