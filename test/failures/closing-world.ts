import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startCommand } from '../support/command.ts';
import { ownDatabase } from '../support/own-database.ts';
import type { OwnDatabase } from '../support/own-database.ts';

/** The day that has sessions, of Seoul, and how many. */
export const [day, sessions] = ['2026-11-18', 3_000];

type Answer = (day: string) => Promise<string | undefined>;

/** The partner's own statement of a day, computed from our entries. */
const statementOf = async ({ client }: OwnDatabase, of: string): Promise<string> => {
  const { rows } = await client.query(
    `select game_session_id as billing_id, cafe_id, 'pc_' || repeat('0', 32) as pc_id, 'game-1' as game_id,
       'u' as provider_user_id, 'stopped' as status, started_at, ended_at as stopped_at, play_duration_sec,
       '{"start":1,"renew":1,"stop":1}'::json as requests
     from entries where to_char(started_at at time zone 'Asia/Seoul', 'YYYY-MM-DD') = $1`,
    [of],
  );
  return JSON.stringify({ billings: rows });
};

/** A partner that answers as the test says; where that is undefined it begins and says no more. */
const createPartner = (answerOf: () => Answer) =>
  createServer((request, response) => {
    const asked = new URL(request.url ?? '', 'http://partner').searchParams.get('day') ?? '';
    void answerOf()(asked).then((body) => {
      if (body !== undefined) response.end(body);
      else response.write('{"billings":[');
    });
  });

/** A database of its own for each test of the file, and a partner whose answer a test may change. */
export const useClosings = () => {
  let database: OwnDatabase;
  const statement = (of: string): Promise<string> => statementOf(database, of);
  let answer: Answer = statement;
  const partner = createPartner(() => answer);
  beforeAll(() => new Promise<void>((listening) => void partner.listen(0, '127.0.0.1', listening)), 30_000);
  beforeEach(async () => {
    answer = statement;
    database = await ownDatabase();
    await database.seed(day, sessions);
  }, 30_000);
  afterEach(() => database.drop());
  afterAll(() => {
    partner.closeAllConnections();
    partner.close();
  });
  const env = () => ({
    DATABASE_URL: database.url,
    PARTNER_URL: `http://127.0.0.1:${(partner.address() as AddressInfo).port}`,
    PARTNER_TOKEN: 'a-token-of-the-test',
  });
  const close = (...args: string[]) => startCommand('deploy/operations/close-day.ts', args, env());
  return {
    ...{ statement, env, close },
    closed: (...args: string[]) => close('--day', day, ...args).ended,
    client: () => database.client,
    countOf: async (table: string): Promise<number> => {
      const { rows } = await database.client.query(`select count(*)::integer as n from ${table}`);
      return (rows[0] as { n: number }).n;
    },
    partnerAnswers: (next: Answer) => void (answer = next),
  };
};
