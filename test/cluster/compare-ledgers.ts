import { wholeSeconds } from '#libs/kernel/clock.ts';
import { readPartnerLedger } from '#simulators/read-ledgers.ts';
import type { PartnerBilling } from '#simulators/read-ledgers.ts';
import { inPostgres } from '../support/in-postgres.ts';
import type { PlayedSession } from './load.ts';
import type { Stores } from './stores.ts';
import { must, within } from './step-report.ts';

const settleDeadlineSec = 90;
const shownSessions = 12;
const question = `select e.game_session_id as id, e.play_duration_sec as ours, c.partner_play_duration_sec as confirmed
  from entries e left join confirmations c using (game_session_id)`;

interface Line {
  readonly id: string;
  readonly ours: number;
  readonly confirmed: number | null;
}

/** The lines of our ledger, asked of the database itself. */
export const ledger = async (url: string): Promise<Line[]> => (await inPostgres<Line>(url, question)).rows;

/** A verify that came too late or got no answer was turned back before it cost a second: the partner has it with none, and we have no session. */
const isTurnedBack = (billing: PartnerBilling | undefined): boolean =>
  billing?.status === 'stopped' && billing.play_duration_sec === 0;

const difference = (
  id: string,
  line: Line | undefined,
  billing: PartnerBilling | undefined,
): string | undefined => {
  if (line === undefined) return `${id}: not in our ledger, ${billing?.status ?? 'nothing'} at the partner's`;
  if (billing?.status !== 'stopped') return `${id}: not stopped at the partner's`;
  const agrees = line.ours === line.confirmed && line.ours === billing.play_duration_sec;
  const seconds = `${line.ours} s ours, ${line.confirmed} s confirmed, ${billing.play_duration_sec} s theirs`;
  return agrees ? undefined : `${id}: ${seconds}`;
};

/** Every session that was played, and every billing of the partner beside them, in both ledgers. */
const differences = async (stores: Stores, sessions: ReadonlySet<string>): Promise<string[]> => {
  const theirs = new Map(
    (await readPartnerLedger(stores.partner.url)).map((billing) => [billing.billing_id, billing]),
  );
  const ours = new Map((await ledger(stores.postgres.url)).map((line) => [line.id, line]));
  return [...new Set([...sessions, ...theirs.keys(), ...ours.keys()])].flatMap((id) => {
    const [line, billing] = [ours.get(id), theirs.get(id)];
    if (line === undefined && !sessions.has(id) && isTurnedBack(billing)) return [];
    return difference(id, line, billing) ?? [];
  });
};

/**
 * What is wrong with the seconds of a session by what its game server knows: play began between the sending of the verify and its answer, and was over
 * between the sending of the end and its answer; where that was not answered, after the last proof of life and not after the last that was asked (D-09).
 * Billed are whole seconds by the clock of Redis, which is that of this machine, so there is no tolerance.
 */
export const misbilled = ({ id, verified, seen, ended, leftAtMs }: PlayedSession, ours: number): string[] => {
  const [overAtMs] = ended ?? seen ?? verified;
  const least = wholeSeconds(verified[1], overAtMs);
  const most = wholeSeconds(verified[0], ended?.[1] ?? leftAtMs);
  return ours >= least && ours <= most ? [] : [`${id}: ${ours} s billed, ${least} to ${most} s played`];
};

/**
 * Waits until every session that was played, and every billing of the partner, is once in both ledgers with the same seconds, which are those that its
 * game server saw; gives their sum.
 */
export const ledgersAgree = async (stores: Stores, sessions: readonly PlayedSession[]): Promise<string> => {
  const ids = new Set(sessions.map(({ id }) => id));
  const ask = () => differences(stores, ids);
  const { tookSec } = await within(settleDeadlineSec, 'the ledgers agree', ask, (all) => all.length === 0);
  const lines = await ledger(stores.postgres.url);
  const seconds = new Map(lines.map(({ id, ours }) => [id, ours]));
  const wrong = sessions.flatMap((session) => misbilled(session, seconds.get(session.id) ?? 0));
  must(wrong.length === 0, `${wrong.length} wrong: ${wrong.slice(0, shownSessions).join('\n')}`);
  const sum = lines.reduce((total, { ours }) => total + ours, 0);
  must(sum > 0, `${lines.length} sessions, and not a second`);
  const turnedBack = (await readPartnerLedger(stores.partner.url)).length - lines.length;
  const summary = `${lines.length} sessions, ${sum} s in both ledgers, ${tookSec.toFixed(1)} s after the last request`;
  return turnedBack === 0 ? summary : `${summary}; ${turnedBack} were turned back at no cost`;
};
