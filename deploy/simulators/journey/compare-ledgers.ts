import * as contract from '#libs/contracts/api/settlement.ts';
import { partnerLedger } from '#libs/contracts/partner.ts';
import { call } from '../http-client.ts';
import type { PlayFacts } from '../stack-file.ts';
import type { StepPrinter } from './step-printer.ts';

const settleDeadlineMs = 20_000;
const pauseMs = 50;

/** One session in both books. Seconds; null where a book has no such line yet. */
export interface Line {
  readonly gameSessionId: string;
  readonly who: string;
  readonly endReason: string | null;
  readonly ours: number | null;
  readonly confirmed: number | null;
  readonly theirs: number | null;
}

/** Somebody who played, for the table. */
export interface Seat {
  readonly who: string;
  readonly gameSessionId: string;
}

/** A session in the settlement ledger and in the partner's. */
export const readLine = async (stack: PlayFacts, { who, gameSessionId }: Seat): Promise<Line> => {
  const path = contract.getSession.path.replace(':game_session_id', gameSessionId);
  const [entry, ledger] = await Promise.all([
    call({ ...contract.getSession, path }, { url: stack.settlement.url, headers: {} }),
    fetch(`${stack.partner.url}/control/ledger`, { signal: AbortSignal.timeout(5_000) }),
  ]);
  const { billings } = partnerLedger.parse(await ledger.json());
  const billing = billings.find(
    ({ billing_id, status }) => billing_id === gameSessionId && status === 'stopped',
  );
  const ours = entry.ok ? entry.data : undefined;
  return {
    ...{ who, gameSessionId, endReason: ours?.endReason ?? null, ours: ours?.playDurationSec ?? null },
    ...{ confirmed: ours?.partnerPlayDurationSec ?? null, theirs: billing?.play_duration_sec ?? null },
  };
};

/** Both books have the line, and the same seconds in it. */
export const agrees = ({ ours, confirmed, theirs }: Line): boolean =>
  ours !== null && ours === confirmed && ours === theirs;

/** Reads both books until they are closed on these sessions, at most 20 s. */
export const readLedgers = async (stack: PlayFacts, seats: readonly Seat[]): Promise<Line[]> => {
  const giveUpAt = performance.now() + settleDeadlineMs;
  for (;;) {
    const lines = await Promise.all(seats.map((seat) => readLine(stack, seat)));
    if (lines.every(agrees) || performance.now() > giveUpAt) return lines;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
};

const cell = (value: string | number | null, width: number) => String(value ?? '—').padEnd(width);

/** Prints both books beside each other and checks that they agree. */
export const printLedgers = (teller: StepPrinter, lines: readonly Line[]): void => {
  teller.heading('The books');
  teller.print(
    `    ${cell('player', 34)}${cell('ended by', 16)}${cell('settlement', 12)}${cell('partner', 10)}`,
  );
  for (const line of lines) {
    const seconds = (value: number | null) => (value === null ? null : `${value} s`);
    const cells = [cell(line.endReason, 16), cell(seconds(line.ours), 12), cell(seconds(line.theirs), 10)];
    teller.check(cell(line.who, 34) + cells.join(''), agrees(line));
  }
};
