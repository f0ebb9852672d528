import { setImmediate } from 'node:timers/promises';
import { createLinks } from '../../deploy/local/faults/links.ts';
import type { Link } from '../../deploy/local/faults/link.ts';
import { inTransaction, openConnection } from '#libs/postgres/dedicated-connection.ts';
import { until } from '../support/eventually.ts';

const links = createLinks(() => []);
const patient = { lockTimeoutMs: 1_000, statementTimeoutMs: 600_000 };
const limits = { lockTimeoutMs: 200, statementTimeoutMs: 200 };
const ask = { name: 'ask', text: 'select 1', values: [] };

let link: Link;
const open = () =>
  openConnection(
    Object.assign(new URL(process.env['DATABASE_URL'] ?? ''), { port: String(link.port) }).href,
    limits,
  );
beforeAll(async () => {
  link = await links.open('postgres', Number(new URL(process.env['DATABASE_URL'] ?? '').port));
});
beforeEach(() => link.set({ mode: 'pass' }));
afterAll(() => links.close());

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
};

/** As the work, which is over before the event loop has turned so often: no time is waited for. */
const atOnce = async <T>(work: Promise<T>): Promise<T> => {
  let isOver = false;
  const working = work.finally(() => (isOver = true));
  working.catch(() => undefined);
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  expect(isOver).toBe(true);
  return working;
};

describe('when Postgres vanishes without a word, a command', () => {
  test('waits for a statement a second longer than Postgres would let it run, and for nothing after it', async () => {
    const connection = await open();
    const work = async (): Promise<void> => {
      link.set({ mode: 'blackhole' });
      await connection.db.query(ask);
    };

    const lost = () => expect(inTransaction(connection, work)).rejects.toThrow('Postgres does not answer');
    expect(await secondsOf(lost)).toBeLessThan(10);

    await expect(atOnce(connection.command('select pg_advisory_unlock(1)'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    await atOnce(connection.end());
  }, 20_000);

  test('ends all the same, with its own outcome', async () => {
    const connection = await open();
    link.set({ mode: 'blackhole' });

    expect(await secondsOf(() => connection.end())).toBeLessThan(10);
  }, 20_000);
});

test('when a command vanishes in the middle of a long statement, Postgres ends it within seconds: it holds no locks until its time is over', async () => {
  const [command, watcher] = await Promise.all([
    openConnection(process.env['DATABASE_URL'] ?? '', patient),
    openConnection(process.env['DATABASE_URL'] ?? '', patient),
  ]);
  const running = async (): Promise<boolean> => {
    const text = `select from pg_stat_activity where query = 'select pg_sleep(599)'`;
    return (await watcher.db.query({ ...ask, text })).rows.length > 0;
  };
  const asked = inTransaction(command, () => command.command('select pg_sleep(599)'));
  const lost = expect(asked).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await until(running, 'the statement runs');

  await command.end();
  await lost;

  await until(async () => !(await running()), 'the statement has ended', 30_000);
  await watcher.end();
}, 60_000);
