import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Redis } from 'ioredis';
import '#libs/kafka/connection.ts';
import Connection from 'kafkajs/src/network/connection.js';
import pg from 'pg';
import { Pool } from 'undici';

/*
 * Loaded into a service before it starts: the process dies by its own SIGKILL in the moment in which an answer of a store or of the partner
 * is here and nobody has heard it yet. Which one, a file of the service's name says: `commit.lua 2` for the second answer to that script.
 */
const service = basename(dirname(process.argv[1] ?? ''));
const file = join(process.env['CRASH_DIR'] ?? '', service);
const apis = new Map([
  [0, 'Produce'],
  [8, 'OffsetCommit'],
]);

let order = '';
let left = 0;

/** An answer has come. The order is taken away first, so that the next process lives. */
const answered = (point: string): void => {
  if (!existsSync(file)) return;
  const text = readFileSync(file, 'utf8');
  const [wanted, nth = '1'] = text.split(' #');
  if (text !== order) [order, left] = [text, Number(nth)];
  if (point !== wanted) return;
  left -= 1;
  if (left > 0) return;
  rmSync(file);
  process.kill(process.pid, 'SIGKILL');
};

type AnyMethod = (this: unknown, ...args: unknown[]) => unknown;

/** Replaces a method by one that says when its promise has been resolved. */
const watch = (owner: object, method: string, pointOf: (args: unknown[]) => string | undefined): void => {
  const original = Reflect.get(owner, method) as AnyMethod;
  Reflect.set(owner, method, async function (this: unknown, ...args: unknown[]) {
    const point = pointOf(args);
    const answer: unknown = await original.apply(this, args);
    if (point !== undefined) answered(point);
    return answer;
  });
};

const defineCommand = Redis.prototype.defineCommand;
Redis.prototype.defineCommand = function (name, definition) {
  defineCommand.call(this, name, definition);
  watch(this, name, () => name.replace('gsb:', ''));
};
watch(Connection.prototype, 'send', ([protocol]) => {
  const { request } = protocol as { request: { apiKey: number } };
  return apis.get(request.apiKey);
});
const { dispatch } = Pool.prototype;
Pool.prototype.dispatch = function (this: Pool, options, handler) {
  const point = `${options.method} ${options.path.replace(/gs_[^/]*/, '…').replace(/\?.*/, '')}`;
  const onResponseEnd: typeof handler.onResponseEnd = (...end) => {
    answered(point);
    handler.onResponseEnd?.(...end);
  };
  return dispatch.call(this, options, { ...handler, onResponseEnd });
};

/** Nothing is prepared by name, so a statement is known by its text. */
const ledger = join(import.meta.dirname, '../../services/settlement/ledger');
const statements = new Map(
  globSync(join(ledger, '*.sql')).map((path) => [readFileSync(path, 'utf8'), basename(path)] as const),
);
const query = pg.Client.prototype.query as AnyMethod;
Reflect.set(pg.Client.prototype, 'query', function (this: unknown, ...args: unknown[]) {
  const [what] = args as [{ text?: string } | undefined];
  const done = args.at(-1);
  const name = statements.get(what?.text ?? '');
  if (typeof done !== 'function' || name === undefined) return query.apply(this, args);
  const heard = (...results: unknown[]): void => {
    answered(name);
    (done as AnyMethod)(...results);
  };
  return query.apply(this, [...args.slice(0, -1), heard]);
});
