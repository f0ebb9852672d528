import { toWire } from '#libs/contracts/wire.ts';
import { checksumLine, csvLine } from '../core/csv.ts';
import type { Cell, Checksum } from '../core/csv.ts';
import { createSha256 } from '../core/sha256.ts';
import { causes } from './differences.ts';
import type { Cause } from './differences.ts';
import type { Closing, ClosingLists } from './ports.ts';

const columns = [
  ...['kind', 'day', 'cafe_id', 'game_id', 'game_session_id', 'sessions', 'play_duration_sec'],
  ...['client_sessions', 'client_play_duration_sec', 'partner_sessions', 'partner_play_duration_sec'],
  ...['cause', 'band', 'our_sec', 'their_sec', 'likely'],
];

/** A line; a field that has a column of its name fills it. */
const line = (kind: string, day: string, fields: object): string => {
  const cells = { ...(toWire(fields) as Readonly<Record<string, Cell>>), kind, day };
  return csvLine(columns.map((name) => cells[name as keyof typeof cells] ?? null));
};

const withLikely = <T extends { readonly cause: Cause }>(difference: T) => ({
  ...difference,
  likely: causes[difference.cause].likely,
});

/**
 * Writes a closing as CSV: totals by cafe and game, adjustments, differences added up and listed, and the checksum (D-28), whose rows and
 * seconds are those of totals and adjustments. The first line says whether the partner's statement was compared. The same closing gives the
 * same bytes. `write` resolves when it can take more text.
 */
export const writeClosing =
  (lists: ClosingLists, write: (text: string) => Promise<void>) =>
  async ({ day, sessions, playDurationSec, partnerStatement, timeZone }: Closing): Promise<Checksum> => {
    const digest = createSha256();
    let rowCount = 0;
    const put = async (lines: readonly string[]) => {
      const text = lines.join('');
      digest.update(text);
      rowCount += lines.length;
      await write(text);
    };
    await put([csvLine(columns)]);
    const cause = `partner_statement_${partnerStatement}`;
    await put([line('closing', day, { sessions, playDurationSec, cause, likely: timeZone })]);
    for await (const page of lists.totals(day)) await put(page.map((each) => line('total', day, each)));
    for await (const page of lists.adjustments(day))
      await put(page.map((each) => line('adjustment', each.ofDay, { ...each, sessions: 1 })));
    for await (const page of lists.differenceSums(day))
      await put(page.map((each) => line('difference_total', day, withLikely(each))));
    for await (const page of lists.differences(day))
      await put(page.map((each) => line('difference', day, withLikely(each))));
    const checksum = { rowCount: rowCount - 1, totalSec: playDurationSec, sha256: digest.digest('hex') };
    await write(checksumLine(checksum));
    return checksum;
  };
