import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import type { z } from 'zod';

/** The names of a script's keys and arguments; the header of the .lua file must say the same. A last key ending in `...` takes a list. */
export interface ScriptContract<S extends z.ZodType> {
  readonly file: URL;
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly answer: S;
}

/** A script, ready to run: keys and arguments by position, the answer parsed. Throws what ioredis throws. */
export type Script<S extends z.ZodType> = (
  redis: Redis,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<z.output<S>>;

const locals = (names: readonly string[], table: string): string =>
  names
    .map((name, index) =>
      name.endsWith('...')
        ? `local ${name.slice(0, -3)} = {}; for i = ${index + 1}, #${table} do ${name.slice(0, -3)}[i - ${index}] = ${table}[i] end`
        : `local ${name} = ${table}[${index + 1}]`,
    )
    .join('\n');

const header = (word: string, names: readonly string[]): string =>
  `-- ${word}: ${names.join(' ') || '(none)'}`;

/** Loads a .lua file beside its wrapper. Its first two lines name keys and arguments; a difference is an error at load. */
export const loadScript = <S extends z.ZodType>({
  file,
  keys,
  args,
  answer,
}: ScriptContract<S>): Script<S> => {
  const source = readFileSync(file, 'utf8');
  const expected = [header('keys', keys), header('args', args)];
  const found = source.split('\n', 2);
  if (expected.join('\n') !== found.join('\n')) {
    throw new Error(
      `${file.pathname}: the header says\n${found.join('\n')}\nbut the wrapper\n${expected.join('\n')}`,
    );
  }
  const lua = `${locals(keys, 'KEYS')}\n${locals(args, 'ARGV')}\n${source}`;
  const name = `gsb:${file.pathname.slice(file.pathname.lastIndexOf('/') + 1)}`;
  return async (redis, keyValues, argValues) => {
    const commands = redis as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>;
    if (commands[name] === undefined) redis.defineCommand(name, { lua });
    return answer.parse(await commands[name]?.(keyValues.length, ...keyValues, ...argValues));
  };
};
