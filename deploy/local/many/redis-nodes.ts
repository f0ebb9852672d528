import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { StackFacts } from '#simulators/stack-file.ts';
import type { Links } from '../faults/links.ts';
import { freePort } from '../free-port.ts';
import type { RedisLogins } from '../redis-logins.ts';
import { answersPing, dataSettings } from '../redis.ts';
import type { Run } from '../run.ts';
import { runStore } from '../store-process.ts';
import type { Store, StoreOptions } from '../store-process.ts';

/** Several Redis servers, one of which takes over when another one dies. */
export interface ManyRedis {
  /** Where they are, as settings of the services. */
  readonly settings: Readonly<Record<string, string>>;
  /** Where they are, as in stack.json, besides the primary's URL. */
  readonly facts: Omit<StackFacts['redis'], 'url'>;
  /** The users of the services, the same at every server. */
  readonly logins: RedisLogins;
  /** Every server by its name, as `redis-1`. */
  readonly nodes: ReadonlyMap<string, Store>;
  /** The name and URL of the primary, in a cluster of that of the first slots. Rejects when nobody knows it. */
  primary(): Promise<{ readonly name: string; readonly url: string }>;
  /** The URLs of all primaries. */
  primaries(): Promise<string[]>;
  /** The name of a replica of that primary. */
  replica(): Promise<string>;
  /** Whether every server is there, and every replica could take over: one that was started again follows after seconds. Rejects when one does not answer. */
  couldFailOver(): Promise<boolean>;
}

/** A server, and how it is reached. */
export interface Place {
  readonly name: string;
  readonly port: number;
  /** The port of the link that leads here, which is announced to everybody. */
  readonly advertisedPort: number;
}

/** A free port, and a link of its name that leads there. */
export const placeOf = async (links: Links, name: string): Promise<Place> => {
  const port = await freePort(0);
  return { name, port, advertisedPort: (await links.open(name, port)).port };
};

/** How servers are started. */
export interface Starting {
  readonly run: Run;
  readonly server: string;
  readonly print: NonNullable<StoreOptions['print']>;
}

/** The servers write what they learn into their configuration files, so a restart goes on where they were. */
export const startNode = (
  { run, server, print }: Starting,
  { name, port }: Place,
  config: (home: string) => readonly string[],
): Promise<Store> => {
  const home = join(run.dir, name);
  mkdirSync(home, { recursive: true });
  const file = join(home, 'server.conf');
  writeFileSync(file, `${config(home).join('\n')}\n`);
  const args = [file, ...(name.startsWith('sentinel') ? ['--sentinel'] : [])];
  return runStore(run, {
    print,
    command: () => ({ name, command: server, args, log: run.logOf(name), wave: 'store' }),
    ready: () => answersPing('127.0.0.1', port),
  });
};

/** Where a server keeps its files; a path may have blanks. */
export const dirConfig = (home: string): string => `dir ${JSON.stringify(home)}`;

/** What every server of data is configured with, besides how the servers find one another. */
export const dataConfig = (home: string, { port }: Place, users: readonly string[]): string[] => [
  ...[`port ${port}`, 'bind 127.0.0.1', dirConfig(home), 'save ""'],
  ...Object.entries(dataSettings).map(([name, value]) => `${name} ${value}`),
  ...['repl-diskless-sync-delay 0', 'repl-timeout 10', 'repl-ping-replica-period 2'],
  ...users.map((user) => `user ${user}`),
];

/** Asks a server or a Sentinel once. */
export const ask = async <T>(port: number, question: (server: Redis) => Promise<T>): Promise<T> => {
  const waits = { connectTimeout: 2_000, commandTimeout: 2_000 };
  const options = { lazyConnect: true, ...waits, maxRetriesPerRequest: 0 };
  const server = new Redis(port, '127.0.0.1', { ...options, retryStrategy: () => null });
  server.on('error', () => undefined);
  try {
    await server.connect();
    return await question(server);
  } finally {
    server.disconnect();
  }
};
