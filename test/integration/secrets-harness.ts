import { readFileSync, readdirSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { Client, escapeIdentifier } from 'pg';
import type { IHeaders } from 'kafkajs';
import { topics } from '#libs/contracts/topics.ts';
import { eventually } from '../support/eventually.ts';

const readDeadlineMs = 25_000;
const readRounds = 50;

/** A text that somebody could read, and where it stands. */
export interface Readable {
  readonly where: string;
  readonly text: string;
}

/** Secrets by what they are. */
export type Secrets = Record<string, string>;

const headersText = (headers: IHeaders = {}): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');

/** Where each partition that holds anything ends. */
const endsOf = async (kafka: Kafka): Promise<Map<string, number>> => {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const each = Object.keys(topics).map(async (topic) =>
      (await admin.fetchTopicOffsets(topic)).map(
        ({ partition, high }) => [`${topic}/${partition}`, Number(high)] as const,
      ),
    );
    return new Map((await Promise.all(each)).flat().filter(([, end]) => end > 0));
  } finally {
    await admin.disconnect();
  }
};

/** Every message of every topic of the product, from the beginning to the end as it is now: keys, headers and values. */
export const everyMessage = async (brokers: string[]): Promise<Readable[]> => {
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: `secrets-${process.pid}-${performance.now()}` });
  const read: Readable[] = [];
  const reached = new Map<string, number>();
  const ends = await endsOf(kafka);
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: Object.keys(topics), fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ topic, partition, message: { key, value, headers, offset } }) => {
        const where = `${topic}/${partition}`;
        reached.set(where, Number(offset) + 1);
        read.push({ where, text: `${String(key)}\n${String(value)}\n${headersText(headers)}` });
      },
    });
    await eventually(
      async () => [...ends].filter(([where, end]) => (reached.get(where) ?? 0) < end),
      (unread) => unread.length === 0,
      readDeadlineMs,
    );
    return read;
  } finally {
    await consumer.disconnect();
  }
};

/** Kafka's indexes are offsets, positions and times alone, and 20 MB for each partition before it needs them. */
const isIndex = (name: string): boolean => /\.(time)?index(\.\w+)?$/.test(name);

const readFiles = (folder: string): Readable[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !isIndex(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((where) => ({ where, text: readFileSync(where).toString('latin1') }));

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Every file of a folder and those below but indexes, as text; none when the folder is not there. Kafka renames and removes files
 * meanwhile, those of other tests' topics among them: when one has gone, all are read anew, so that none is missed.
 */
export const everyFile = (folder: string, rounds = readRounds): Readable[] => {
  if (!existsSync(folder)) return [];
  try {
    return readFiles(folder);
  } catch (error) {
    if (!isGone(error) || rounds === 1) throw error;
    return everyFile(folder, rounds - 1);
  }
};

/** What each service tells a scraper, exemplars included. */
export const everyMetric = (processes: readonly { service: string; ops: string }[]): Promise<Readable[]> =>
  Promise.all(
    processes.map(async ({ service, ops }) => {
      const headers = { Accept: 'application/openmetrics-text' };
      const answer = await fetch(`${ops}/metrics`, { headers });
      return { where: `${service}/metrics`, text: await answer.text() };
    }),
  );

/** Every row of every table of the ledger, in the spelling of Postgres. */
export const everyRow = async (url: string): Promise<Readable[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const read: Readable[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(
      `select t::text as row from ${escapeIdentifier(name)} t`,
    );
    read.push(...rows.map(({ row }) => ({ where: `Postgres: ${name}`, text: row })));
  }
  await client.end();
  return read;
};

/** A secret as it is, and as somebody could have written it in other letters. */
const spellings = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
  encodeURIComponent(secret),
  secret.toUpperCase(),
];

/** Which secrets stand where, in any of these spellings. */
export const found = (texts: readonly Readable[], secrets: Secrets): string[] =>
  Object.entries(secrets).flatMap(([name, secret]) =>
    texts
      .filter(({ text }) => spellings(secret).some((spelling) => text.includes(spelling)))
      .map(({ where }) => `${name} in ${where}`),
  );
