import { isUnsure } from './answer.ts';
import type { HistoryLine, LineOf } from './history.ts';

type Call = LineOf<'call'>;

/** A batch of a history, as its items tell it. */
interface Batch {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly items: readonly Call[];
}

/** What became of the batches of a run. */
export interface BatchCounts {
  readonly batches: number;
  readonly items: number;
  readonly largest: number;
  /** Items during which a single call of the same session was under way. */
  readonly raced: number;
  /** Faults that killed, stopped or cut something off while a batch was under way. */
  readonly faultsMeanwhile: number;
  /** Batches under way at such a fault of which at least one item was not answered, and those items. */
  readonly cut: number;
  readonly cutItems: number;
  /** Batches of which some items were answered, and others not. */
  readonly halves: number;
}

const whole = (number: number): string => number.toLocaleString('en');
const isPlay = ({ op }: Call): boolean => op === 'beat' || op === 'end';
const isCut = ({ items }: Batch): boolean => items.some(({ status }) => isUnsure(status));
/** Faults that break nothing of ours. */
const harmless: ReadonlySet<string> = new Set(['partner', 'balance', 'duplicate events']);

const batchesOf = (calls: readonly Call[]): Batch[] =>
  [...Map.groupBy(calls, ({ batch }) => batch)].flatMap(([batch, items]) => {
    const [first] = items;
    if (batch === undefined || first === undefined) return [];
    return [{ fromMs: first.at, untilMs: first.at + first.took, items }];
  });

/** Counts the batches of a history, and what befell them. */
export const countBatches = (lines: readonly HistoryLine[]): BatchCounts => {
  const calls = lines.filter((line) => line.kind === 'call').filter(isPlay);
  const batches = batchesOf(calls);
  const singles = Map.groupBy(
    calls.filter(({ batch }) => batch === undefined),
    ({ session }) => session,
  );
  const isRaced = ({ session, at, took }: Call): boolean =>
    (singles.get(session) ?? []).some((single) => single.at <= at + took && single.at + single.took >= at);
  const faults = lines.filter((line) => line.kind === 'fault').filter(({ name }) => !harmless.has(name));
  const meets = ({ fromMs, untilMs }: Batch, { at }: LineOf<'fault'>) => fromMs <= at && at <= untilMs;
  const cut = batches.filter((batch) => isCut(batch) && faults.some((fault) => meets(batch, fault)));
  return {
    batches: batches.length,
    items: batches.reduce((sum, { items }) => sum + items.length, 0),
    largest: Math.max(0, ...batches.map(({ items }) => items.length)),
    raced: batches.flatMap(({ items }) => items.filter(isRaced)).length,
    faultsMeanwhile: faults.filter((fault) => batches.some((batch) => meets(batch, fault))).length,
    cut: cut.length,
    cutItems: cut.flatMap(({ items }) => items.filter(({ status }) => isUnsure(status))).length,
    halves: batches.filter((batch) => isCut(batch) && !batch.items.every(({ status }) => isUnsure(status)))
      .length,
  };
};

/** What became of the batches, as lines for the terminal; none for a run without any. */
export const batchLines = (lines: readonly HistoryLine[]): string[] => {
  const counts = countBatches(lines);
  if (counts.batches === 0) return [];
  const bundles = lines.findLast((line) => line.kind === 'bundles');
  return [
    `  ${whole(counts.batches)} batches of ${whole(counts.items)} heartbeats and ends, at most ${counts.largest} in one; ${whole(counts.raced)} raced a single call of their session`,
    `  ${counts.faultsMeanwhile} faults came while batches were under way; of ${counts.cut} batches ${whole(counts.cutItems)} items were not answered then; ${counts.halves} were answered in part`,
    ...(bundles
      ? [`  ${whole(bundles.messages)} bundles with ${whole(bundles.events)} events are on the log`]
      : []),
  ];
};
