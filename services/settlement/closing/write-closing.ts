import { csvLine, sealLine } from '../core/csv.ts';
import type { Cell, Seal } from '../core/csv.ts';
import { causes } from './differences.ts';
import type { Adjustment, Closing, DifferenceSum, Digest, FoundDifference, Listed, Total } from '../ports.ts';

const columns = [
  ...['kind', 'day', 'cafe_id', 'game_id', 'game_session_id', 'sessions', 'play_duration_sec'],
  ...['client_sessions', 'client_play_duration_sec', 'partner_sessions', 'partner_play_duration_sec'],
  ...['cause', 'band', 'our_sec', 'their_sec', 'likely'],
];

const line = (cells: Readonly<Record<string, Cell>>): string =>
  csvLine(columns.map((name) => cells[name] ?? null));

const totalLine = (day: string, total: Total): string =>
  line({
    ...{ kind: 'total', day, cafe_id: total.cafeId, game_id: total.gameId, sessions: total.sessions },
    play_duration_sec: total.playDurationSec,
    ...{ client_sessions: total.clientSessions, client_play_duration_sec: total.clientPlayDurationSec },
    ...{ partner_sessions: total.partnerSessions, partner_play_duration_sec: total.partnerPlayDurationSec },
  });

const adjustmentLine = ({ ofDay, cafeId, gameId, gameSessionId, playDurationSec }: Adjustment): string =>
  line({
    ...{ kind: 'adjustment', day: ofDay, cafe_id: cafeId, game_id: gameId, game_session_id: gameSessionId },
    ...{ sessions: 1, play_duration_sec: playDurationSec },
  });

const differenceLine = (day: string, found: FoundDifference): string =>
  line({
    ...{ kind: 'difference', day, cafe_id: found.cafeId, game_id: found.gameId },
    ...{ game_session_id: found.gameSessionId, cause: found.cause, band: found.band },
    ...{ our_sec: found.ourSec, their_sec: found.theirSec, likely: causes[found.cause].likely },
  });

const differenceSumLine = (day: string, sum: DifferenceSum): string =>
  line({
    ...{ kind: 'difference_total', day, cafe_id: sum.cafeId, game_id: sum.gameId, sessions: sum.sessions },
    ...{ cause: sum.cause, band: sum.band, our_sec: sum.ourSec, their_sec: sum.theirSec },
    likely: causes[sum.cause].likely,
  });

/** What a closing is written with; `write` resolves when the text is taken. */
export interface WritePorts {
  readonly listed: Listed;
  readonly digest: Digest;
  readonly write: (text: string) => Promise<void>;
}

/**
 * Writes a closing as CSV: totals by cafe and game, adjustments, differences added up and listed, and the seal (D-28). Its rows and seconds are those of totals
 * and adjustments; whether the partner's statement was compared stands in the first line. The same closing gives the same bytes.
 */
export const writeClosing =
  ({ listed, digest, write }: WritePorts) =>
  async ({ day, sessions, playDurationSec, partnerStatement, timeZone }: Closing): Promise<Seal> => {
    let rowCount = 0;
    const put = async (lines: readonly string[]) => {
      const text = lines.join('');
      digest.update(text);
      rowCount += lines.length;
      await write(text);
    };
    await put([line(Object.fromEntries(columns.map((name) => [name, name])))]);
    const about = { kind: 'closing', day, sessions, play_duration_sec: playDurationSec };
    await put([line({ ...about, cause: `partner_statement_${partnerStatement}`, likely: timeZone })]);
    for await (const page of listed.totals(day)) await put(page.map((each) => totalLine(day, each)));
    for await (const page of listed.adjustments(day)) await put(page.map(adjustmentLine));
    for await (const page of listed.differenceSums(day))
      await put(page.map((each) => differenceSumLine(day, each)));
    for await (const page of listed.differences(day))
      await put(page.map((each) => differenceLine(day, each)));
    const seal = { rowCount: rowCount - 1, totalSec: playDurationSec, sha256: digest.end() };
    await write(sealLine(seal));
    return seal;
  };
