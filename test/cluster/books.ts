import { Client } from 'pg';
import { partnerLedger } from '#libs/contracts/partner.ts';
import type { Stores } from './stores.ts';
import { within } from './tell.ts';

const settleDeadlineSec = 90;
const question = `select e.game_session_id as id, e.play_duration_sec as ours, c.partner_play_duration_sec as confirmed
  from entries e left join confirmations c using (game_session_id)`;

interface Line {
  readonly id: string;
  readonly ours: number;
  readonly confirmed: number | null;
}

/** The lines of our ledger, asked of the database itself. */
export const ledger = async (url: string): Promise<Line[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Line>(question)).rows;
  } finally {
    await client.end();
  }
};

const differences = async ({ postgres, partner }: Stores, sessions: readonly string[]): Promise<string[]> => {
  const answer = await fetch(`${partner.url}/control/ledger`);
  const { billings } = partnerLedger.parse(await answer.json());
  const theirs = new Map(billings.map((billing) => [billing.billing_id, billing]));
  const ours = new Map((await ledger(postgres.url)).map((line) => [line.id, line]));
  return [...new Set([...sessions, ...theirs.keys()])].flatMap((id) => {
    const [line, billing] = [ours.get(id), theirs.get(id)];
    if (line === undefined) return [`${id}: not in our ledger`];
    if (billing?.status !== 'stopped') return [`${id}: not stopped at the partner's`];
    const agrees = line.ours === line.confirmed && line.ours === billing.play_duration_sec;
    return agrees
      ? []
      : [`${id}: ${line.ours} s ours, ${line.confirmed} s confirmed, ${billing.play_duration_sec} s theirs`];
  });
};

/** Waits until every session that was played, and every billing of the partner, stands once in both books with the same seconds; gives their sum. */
export const booksAgree = async (stores: Stores, sessions: readonly string[]): Promise<string> => {
  const ask = () => differences(stores, sessions);
  const { tookSec } = await within(settleDeadlineSec, 'the books agree', ask, (all) => all.length === 0);
  const lines = await ledger(stores.postgres.url);
  const sum = lines.reduce((total, { ours }) => total + ours, 0);
  return `${lines.length} sessions, ${sum} s in both books, ${tookSec.toFixed(1)} s after the last request`;
};
