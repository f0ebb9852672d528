import type { HistoryLine, LineOf } from './history.ts';

type Call = LineOf<'call'>;
type FaultLine = LineOf<'fault'>;

/** A fault still counts for calls that are made this long after it is over, in ms, unless the next one has begun. */
const echoMs = 10_000;
/** Faults that may go on beside others, and are no outage of ours. */
const beside: ReadonlySet<string> = new Set(['partner', 'balance', 'duplicate events']);

/** What callers of one operation met while something was broken, in ms. */
interface Outage {
  /** From the begin of the fault to the last answer that was none: 5xx, or nothing. */
  readonly failingMs: number;
  /** The longest time in which nobody received a right answer, although somebody asked. */
  readonly noneMs: number;
}

/** Several faults of one kind: how often, and what callers met in each. */
export interface OutagesOfKind {
  readonly kind: string;
  readonly verify: readonly Outage[];
  readonly heartbeat: readonly Outage[];
}

const isFailed = ({ status }: Call): boolean => status === 0 || status === 429 || status >= 500;
const gotMs = ({ at, took }: Call): number => at + took;

const outageOf = (calls: readonly Call[], fromMs: number, untilMs: number): Outage => {
  const failed = calls.filter((call) => isFailed(call) && call.at >= fromMs && call.at < untilMs);
  const right = calls.filter((call) => !isFailed(call)).map(gotMs);
  const gaps = failed.map((call) => {
    const before = Math.max(fromMs, ...right.filter((at) => at <= gotMs(call)));
    const after = Math.min(...right.filter((at) => at > gotMs(call)), untilMs);
    return Math.max(0, after - before);
  });
  return {
    failingMs: Math.max(0, ...failed.map((call) => gotMs(call) - fromMs)),
    noneMs: Math.max(0, ...gaps),
  };
};

/** `kill kafka-2` and `kill kafka-3` are one kind; a clock that is wrong is one, whichever way. */
const kindOf = ({ name }: FaultLine): string => name.replace(/-\d(?!\d)/, '').replace(/ [+-]\d+ s$/, '');

/** What callers met in each kind of fault of a history. Where a fault came late, and players had begun to leave, nobody asked often enough to tell. */
export const outagesOf = (lines: readonly HistoryLine[]): OutagesOfKind[] => {
  const calls = lines.filter((line) => line.kind === 'call');
  const lastBegan = calls.findLast(({ op }) => op === 'verify')?.at ?? 0;
  const faults = lines
    .filter((line) => line.kind === 'fault')
    .filter(({ name }) => !beside.has(name))
    .toSorted((one, other) => one.at - other.at);
  const outages = faults.flatMap((fault, index) => {
    if (fault.until > lastBegan) return [];
    const untilMs = Math.min(fault.until + echoMs, faults[index + 1]?.at ?? Infinity);
    const near = calls.filter((call) => gotMs(call) >= fault.at - echoMs && call.at <= untilMs);
    const of = (op: Call['op']) =>
      outageOf(
        near.filter((call) => call.op === op),
        fault.at,
        untilMs,
      );
    return [{ kind: kindOf(fault), verify: of('verify'), heartbeat: of('beat') }];
  });
  return [...Map.groupBy(outages, ({ kind }) => kind)].map(([kind, all]) => ({
    kind,
    verify: all.map(({ verify }) => verify),
    heartbeat: all.map(({ heartbeat }) => heartbeat),
  }));
};

const median = (sorted: readonly number[]): number => sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
const seconds = (ms: number): string => (ms / 1000).toFixed(1).padStart(5);

const medianAndWorst = (values: readonly number[]): string => {
  const sorted = values.toSorted((one, other) => one - other);
  return `${seconds(median(sorted))} ${seconds(sorted.at(-1) ?? 0)}`;
};

const columns = (outages: readonly Outage[]): string =>
  `${medianAndWorst(outages.map(({ failingMs }) => failingMs))}   ${medianAndWorst(outages.map(({ noneMs }) => noneMs))}`;

const [nameWidth, columnWidth] = [46, 29];

/** A table for the terminal, in seconds: what callers met in each kind of fault. */
export const outageTable = (outages: readonly OutagesOfKind[]): string[] => {
  if (outages.length === 0) return [];
  const head = (text: string) => text.padEnd(columnWidth);
  return [
    `  ${'median and worst, in s'.padEnd(nameWidth)}  ${head('verify')}heartbeat`,
    `  ${''.padEnd(nameWidth)}  ${head('failing for   no right one')}failing for   no right one`,
    ...outages
      .toSorted((one, other) => one.kind.localeCompare(other.kind))
      .map(
        ({ kind, verify, heartbeat }) =>
          `  ${`${kind} (${verify.length})`.padEnd(nameWidth)}  ${columns(verify).padEnd(columnWidth)}${columns(heartbeat)}`,
      ),
  ];
};
