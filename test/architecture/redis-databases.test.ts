import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const files = globSync('test/**/*.ts', { cwd: root }).map((file) => {
  const text = readFileSync(resolve(root, file), 'utf8');
  const databases = [...new Set([...text.matchAll(/\bdb: (\d+)\b/g)].map(([, database]) => database))];
  return { file, databases, flushes: /\.flushdb\(\)/.test(text) };
});

test('a database of the suite’s Redis that a test file flushes is used by that file alone: files run beside each other', () => {
  const flushing = files.filter(({ flushes }) => flushes);
  const disturbed = flushing.flatMap(({ file, databases }) =>
    files
      .filter((other) => other.file !== file && other.databases.some((each) => databases.includes(each)))
      .map((other) => `${file} flushes a database of ${other.file}`),
  );

  expect(disturbed).toEqual([]);
  expect(flushing.filter(({ databases }) => databases.length !== 1)).toEqual([]);
});
