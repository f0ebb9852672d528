import { Client } from 'pg';
import type { StackFacts } from '#simulators/stack-file.ts';
import { eventually } from '../support/eventually.ts';
import { inPostgres } from '../support/in-postgres.ts';
import { logins } from '../support/secured/kafka.ts';
import { startSecuredStores } from '../support/secured/stack.ts';
import type { SecuredStores } from '../support/secured/stack.ts';
import { askSettlement } from '../support/settlement.ts';
import { billingOf, newPlayer } from '../support/suite-stack.ts';

let started: SecuredStores | undefined;
const stores = (): SecuredStores => started!;
beforeAll(async () => {
  started = await startSecuredStores();
}, 120_000);
afterAll(() => started?.stop(), 30_000);

/** The day in Seoul; it may end while a test runs. */
const seoulDay = () => new Date(Date.now() + 9 * 3_600_000).toISOString().slice(0, 10);
const ask = async (url: string, text: string): Promise<unknown[]> => (await inPostgres(url, text)).rows;

/** Three players in three cafes play and leave; resolves to their sessions. */
const play = async (facts: StackFacts): Promise<string[]> => {
  const players = await Promise.all([0, 1, 2].map((cafe) => newPlayer(facts, { cafe })));
  const beats = await Promise.all(players.map(({ server, id, user }) => server.heartbeat(id, user)));
  const ends = await Promise.all(players.map(({ server, id }) => server.end(id, 1)));
  expect(beats).toMatchObject(beats.map(() => ({ ok: true, data: { result: 'OK' } })));
  expect(ends).toMatchObject(ends.map(() => ({ ok: true, data: { result: 'SUCCESS' } })));
  return players.map(({ id }) => id);
};

const inBothBooks = async (facts: StackFacts, id: string): Promise<void> => {
  const stopped = () => billingOf(facts, id);
  await eventually(stopped, (billing) => billing?.status === 'stopped', 20_000);
  const confirmed = () => askSettlement(facts, `sessions/${id}`);
  await eventually(confirmed, ({ text }) => /"partner_play_duration_sec":\d/.test(text), 20_000);
};

describe.each(logins)('with users of Kafka who sign in by %s and may do what the chart lists', (login) => {
  let running: Awaited<ReturnType<SecuredStores['services']>> | undefined;
  const facts = () => stores().facts(running!.services);
  beforeAll(async () => {
    running = await stores().services(login);
  }, 60_000);
  afterAll(() => Promise.all(running?.services.map((each) => each.stop()) ?? []), 30_000);

  test('players play, are billed, and stand in the ledger and in the statement of the replica', async () => {
    const began = seoulDay();
    const ids = await play(facts());
    const days = new Set([began, seoulDay()]);

    for (const id of ids) await inBothBooks(facts(), id);
    const statements = () =>
      Promise.all([...days].map((day) => askSettlement(facts(), `statements?day=${day}`)));
    const stated = (answers: readonly { text: string }[]) =>
      ids.every((id) => answers.some(({ text }) => text.includes(id)));
    await eventually(statements, stated, 20_000);
  }, 90_000);
});

describe('Postgres behind PgBouncer, which lends its connections for a transaction', () => {
  let running: Awaited<ReturnType<SecuredStores['services']>> | undefined;
  const facts = () => stores().facts(running!.services);
  beforeAll(async () => {
    running = await stores().services('scram-sha-512');
  }, 60_000);
  afterAll(() => Promise.all(running?.services.map((each) => each.stop()) ?? []), 30_000);

  test('operators who ask at once are answered, one open day at a time, and nothing is left on a connection', async () => {
    const preview = () => askSettlement(facts(), `reconciliations/${seoulDay()}`);
    const statuses = (await Promise.all(Array.from({ length: 8 }, preview))).map(({ status }) => status);

    expect(statuses).toContain(200);
    expect(statuses.filter((status) => ![200, 429].includes(status))).toEqual([]);
    await eventually(preview, ({ status }) => status === 200);
    const { url } = stores().postgres;
    expect(await ask(url, "select from pg_locks where locktype = 'advisory'")).toEqual([]);
    expect(await ask(url, "select from pg_stat_activity where state like 'idle in transaction%'")).toEqual(
      [],
    );
    const seen = await Promise.all(
      [1, 2, 3, 4].map(() =>
        ask(
          stores().postgres.pooled,
          `select current_setting('statement_timeout') as timeout, (select count(*) from pg_prepared_statements)::int as prepared,
             (select count(*) from pg_class where relpersistence = 't')::int as temporary`,
        ),
      ),
    );
    expect(seen.flat()).toEqual(seen.map(() => ({ timeout: '0', prepared: 0, temporary: 0 })));
  }, 60_000);

  test('each statement brings its limits along: one that waits for a lock is given up, and answered with 503', async () => {
    const blocker = new Client({ connectionString: stores().postgres.url });
    await blocker.connect();
    try {
      await blocker.query('begin; lock table closings in access exclusive mode');
      const { status } = await askSettlement(facts(), `reconciliations/${seoulDay()}`);
      expect(status).toBe(503);
    } finally {
      await blocker.end();
    }
  }, 60_000);

  test('while the replica is away statements are 503, and nothing else is', async () => {
    const statement = () => askSettlement(facts(), `statements?day=${seoulDay()}`);
    await stores().postgres.replica.store.stop();
    const [away, ledger] = [await statement(), await askSettlement(facts(), `reconciliations/${seoulDay()}`)];
    await stores().postgres.replica.store.restart();

    expect([away.status, ledger.status]).toEqual([503, 200]);
    await eventually(statement, ({ status }) => status === 200, 20_000);
  }, 90_000);
});

describe('with sslmode=verify-full Postgres is believed only', () => {
  const verified = () => stores().postgres.verified(stores().postgres.url);
  test('under the name of its certificate', async () => {
    await expect(stores().migrate(verified())).resolves.toBeDefined();
    const elsewhere = verified().replace('localhost', '127.0.0.1');
    await expect(stores().migrate(elsewhere)).rejects.toThrow(/does not match certificate/);
  }, 60_000);

  test('by an authority that we trust', async () => {
    await expect(stores().migrate(verified(), '')).rejects.toThrow(/certificate/);
  }, 60_000);
});
