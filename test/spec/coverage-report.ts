import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { specTables } from './rows.ts';

const folder = resolve(import.meta.dirname);

/** A describe: its title, and every text in it, which is where the titles of tests and the rows of their tables stand. */
interface Chapter {
  readonly file: string;
  readonly title: string;
  readonly texts: readonly string[];
}

const textsBelow = (node: ts.Node): string[] => {
  const own = ts.isStringLiteralLike(node) || ts.isIdentifier(node) ? [node.text] : [];
  const below: string[] = [];
  ts.forEachChild(node, (child) => void below.push(...textsBelow(child)));
  return [...own, ...below];
};

const chapterOf = (file: string, statement: ts.Statement): Chapter | undefined => {
  if (!ts.isExpressionStatement(statement) || !ts.isCallExpression(statement.expression)) return undefined;
  const [title, body] = statement.expression.arguments;
  if (title === undefined || body === undefined || !ts.isStringLiteralLike(title)) return undefined;
  return { file, title: title.text, texts: textsBelow(body) };
};

const chaptersOf = (file: string): Chapter[] => {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(folder, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  return source.statements.flatMap((statement) => chapterOf(file, statement) ?? []);
};

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** As a word of its own: `OK` is not in `TOKEN`, nor `result` in `results`. */
const names = (text: string, label: string) => new RegExp(`(^|[^\\w])${escaped(label)}($|[^\\w])`).test(text);

const files = readdirSync(folder).filter((file) => file.endsWith('.test.ts'));
const chapters = files.flatMap(chaptersOf);
const rows = Object.entries(specTables).flatMap(([table, labels]) =>
  labels.map((label) => {
    const covering = chapters.filter(
      ({ title, texts }) => title.includes(`spec ${table}`) && texts.some((text) => names(text, label)),
    );
    return { table, label, files: [...new Set(covering.map(({ file }) => file))] };
  }),
);

for (const { table, label, files: covering } of rows) {
  process.stdout.write(`${table} | ${label} | ${covering.join(', ') || 'NOT COVERED'}\n`);
}
const uncovered = rows.filter(({ files: covering }) => covering.length === 0);
process.stdout.write(`${rows.length} rows, ${uncovered.length} not covered\n`);
process.exitCode = uncovered.length === 0 ? 0 : 1;
