import { dirname, join } from 'node:path';
import { hashApiKey } from '#libs/catalog/api-key-format.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { runCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { theStack } from '../support/suite-stack.ts';
import { everyFile, everyMessage, everyMetric, everyRow, found } from './secrets-harness.ts';
import type { Secrets } from './secrets-harness.ts';
import { useEverySecret } from './secrets-play.ts';

const stackFolder = dirname(process.env['GSB_STACK'] ?? '');

let stack: StackFacts;
let id: string;
let secrets: Secrets;
const command = (name: string, ...args: string[]) =>
  runCommand(`deploy/operations/${name}.ts`, args, {
    ...{ KAFKA_BROKERS: stack.kafka.brokers.join(','), REDIS_URL: stack.redis.url },
    ...{ DATABASE_URL: stack.postgres.url, OPERATOR_KEY: stack.settlement.operator_key },
    CATALOG_DIR: join(stackFolder, 'catalog'),
  });
beforeAll(async () => {
  stack = await theStack();
  ({ id, secrets } = await useEverySecret(stack));
}, 30_000);

describe('promise I10: after a player has played, no key, token or signature stands', () => {
  test('in a log of any process, security events included', async () => {
    // What was wrong is told within ten seconds, equal ones together (D-47).
    const told = [
      ...['nonce.replayed', 'authentication.failed', 'authentication.succeeded'].map(
        (event) => `"event":"${event}"`,
      ),
      '"kind":"operator-key"',
    ];
    const logs = await eventually(
      async () => everyFile(join(stackFolder, 'logs')),
      (files) => told.every((what) => files.some(({ text }) => text.includes(what))),
      20_000,
    );

    expect(logs.map(({ where }) => where)).toEqual(
      expect.arrayContaining([expect.stringMatching(/launcher-gateway\.log$/)]),
    );
    expect(found(logs, secrets)).toEqual([]);
  }, 30_000);

  test('in any message of any topic, dead letters included', async () => {
    const isDead = ({ where, text }: { where: string; text: string }) =>
      where.startsWith('dead-letters.v1/') && text.includes(id);
    const messages = await eventually(
      () => everyMessage(stack.kafka.brokers),
      (read) => read.some(isDead),
      30_000,
    );

    expect(messages.some(({ where }) => where.startsWith('billing.v1/'))).toBe(true);
    expect(found(messages, secrets)).toEqual([]);
  }, 80_000);

  test('in what operators are told: a session’s story, and the dead letters', async () => {
    const story = await command('session/main', id);
    const letters = await command('dead-letters/main', 'show');
    const told = [story, letters].map(({ out, err }, at) => ({
      where: ['session', 'show'][at]!,
      text: out + err,
    }));

    expect([story.code, letters.code]).toEqual([0, 0]);
    expect(found(told, secrets)).toEqual([]);
  }, 60_000);

  test('in a row of the ledger', async () => {
    const rows = await eventually(
      () => everyRow(stack.postgres.url),
      (read) => read.some(({ text }) => text.includes(id)),
      30_000,
    );

    expect(found(rows, secrets)).toEqual([]);
  }, 60_000);

  test('in the metrics of any service', async () => {
    const metrics = await everyMetric(stack.processes);

    expect(metrics.map(({ where }) => where)).toHaveLength(5);
    expect(metrics.filter(({ text }) => !text.includes('# TYPE'))).toEqual([]);
    expect(found(metrics, secrets)).toEqual([]);
  });

  test('in what Redis or Kafka keep on disk (D-18)', () => {
    const stores = ['redis', 'kafka'].flatMap((name) => everyFile(join(stackFolder, name)));

    expect(found(stores, secrets)).toEqual([]);
  });

  test('in the catalog, but for the launcher secrets: of a game’s or an operator’s key only its hash', () => {
    const catalog = everyFile(join(stackFolder, 'catalog'));
    const isOfACafe = ([name]: [string, string]) => name.startsWith('launcher secret');
    const others = Object.fromEntries(Object.entries(secrets).filter((each) => !isOfACafe(each)));

    expect(found(catalog, others)).toEqual([]);
    for (const key of [
      ...stack.game.games.map(({ api_keys }) => api_keys[0]!),
      stack.settlement.operator_key,
    ])
      expect(catalog.some(({ text }) => text.includes(hashApiKey(key)))).toBe(true);
  });

  test('and the search would find them', () => {
    const text = Object.values(secrets).join('\n');

    expect(found([{ where: 'here', text }], secrets)).toHaveLength(Object.keys(secrets).length);
    expect(Object.keys(secrets)).toEqual(
      expect.arrayContaining([
        ...['OTT', 'signature', 'session token', 'launcher secret cafe-seoul-01.k1', 'launcher key of a PC'],
        ...['operator key', 'PARTNER_TOKEN of billing-adapter', 'REDIS_PASSWORD of ott'],
        ...['DATABASE_URL of settlement', 'POSTGRES_WRITER_PASSWORD of settlement'],
      ]),
    );
  });
});
