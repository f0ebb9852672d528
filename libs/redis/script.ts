import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import type { z } from 'zod';

/** The beginning of scripts that take tokens of buckets. */
export const bucketLua = new URL('./bucket.lua', import.meta.url);

/** A Lua file with the names of its keys and arguments, which the file's first two lines repeat. A last key ending in `...` takes a list. */
export interface ScriptContract<S extends z.ZodType> {
  readonly file: URL;
  /** A Lua file that the script begins with, which uses its keys and arguments by their names. */
  readonly beginsWith?: URL;
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly answer: S;
}

/** Runs a script: keys and arguments by position, the answer parsed. Rejects with the error of ioredis, or ZodError. */
export type Script<S extends z.ZodType> = (
  redis: Redis,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<z.output<S>>;

type ScriptCommand = (keyCount: number, ...keysAndArgs: (string | number)[]) => Promise<unknown>;

/** Lua that gives each key and argument a local of its name. */
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

/** The command of a script on this connection, defined on first use; ioredis sends EVALSHA, and EVAL where the server lacks the script. */
const commandOf = (redis: Redis, name: string, lua: string): ScriptCommand => {
  if (!Reflect.has(redis, name)) redis.defineCommand(name, { lua });
  return (Reflect.get(redis, name) as ScriptCommand).bind(redis);
};

/** Loads the .lua file that stands beside its wrapper. Throws at once when its first two lines do not name the contract's keys and arguments. */
export const loadScript = <S extends z.ZodType>({
  file,
  beginsWith,
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
  const beginning = beginsWith === undefined ? '' : readFileSync(beginsWith, 'utf8');
  const lua = `${locals(keys, 'KEYS')}\n${locals(args, 'ARGV')}\n${beginning}${source}`;
  const name = `gsb:${file.pathname.slice(file.pathname.lastIndexOf('/') + 1)}`;
  return async (redis, keyValues, argValues) =>
    answer.parse(await commandOf(redis, name, lua)(keyValues.length, ...keyValues, ...argValues));
};
