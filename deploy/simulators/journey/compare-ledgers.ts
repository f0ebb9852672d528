import { readPartnerLedger, readSettledSession } from '../read-ledgers.ts';
import type { PlayFacts } from '../stack-file.ts';
import type { StepPrinter } from './step-printer.ts';

const settleDeadlineMs = 20_000;
const pauseMs = 50;

/** One session in both ledgers, in seconds; null where a ledger does not have it yet. */
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
  const [entry, billings] = await Promise.all([
    readSettledSession(stack.settlement, gameSessionId),
    readPartnerLedger(stack.partner.url),
  ]);
  const billing = billings.find(
    ({ billing_id, status }) => billing_id === gameSessionId && status === 'stopped',
  );
  return {
    ...{ who, gameSessionId, endReason: entry?.endReason ?? null, ours: entry?.playDurationSec ?? null },
    ...{ confirmed: entry?.partnerPlayDurationSec ?? null, theirs: billing?.play_duration_sec ?? null },
  };
};

/** Both ledgers have the session, with the same seconds. */
export const agrees = ({ ours, confirmed, theirs }: Line): boolean =>
  ours !== null && ours === confirmed && ours === theirs;

/** Reads both ledgers until they agree on these sessions, at most 20 s. */
export const readLedgers = async (stack: PlayFacts, seats: readonly Seat[]): Promise<Line[]> => {
  const giveUpAt = performance.now() + settleDeadlineMs;
  for (;;) {
    const lines = await Promise.all(seats.map((seat) => readLine(stack, seat)));
    if (lines.every(agrees) || performance.now() > giveUpAt) return lines;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
};

const cell = (value: string | number | null, width: number) => String(value ?? '—').padEnd(width);

/** Prints both ledgers beside each other and checks that they agree. */
export const printLedgers = (printer: StepPrinter, lines: readonly Line[]): void => {
  if (lines.length === 0) return;
  printer.heading('The ledgers');
  printer.print(
    `    ${cell('player', 34)}${cell('ended by', 16)}${cell('settlement', 12)}${cell('partner', 10)}`,
  );
  for (const line of lines) {
    const seconds = (value: number | null) => (value === null ? null : `${value} s`);
    const cells = [cell(line.endReason, 16), cell(seconds(line.ours), 12), cell(seconds(line.theirs), 10)];
    printer.checkLedgers(line.who, cell(line.who, 34) + cells.join(''), agrees(line));
  }
};
