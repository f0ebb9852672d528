import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const line = z.looseObject({
  level: z.string(),
  time: z.iso.datetime(),
  service: z.string(),
  msg: z.string(),
  trace_id: z.string().optional(),
});
type Line = z.output<typeof line>;

/** What every line has, or what is told in another way. */
const told: ReadonlySet<string> = new Set(['level', 'time', 'service', 'instance', 'msg', 'span_id']);

const read = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** A line that was cut, or that is none of ours, tells nothing. */
const lineOf = (text: string): Line[] => {
  try {
    const parsed = line.safeParse(JSON.parse(text));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** One line as a person reads it. */
const printed = ({ time, level, service, msg, ...rest }: Line): string => {
  const facts = Object.entries(rest).filter(([name]) => !told.has(name));
  const shown = facts.map(([name, value]) => ` ${name}=${textOf(value)}`).join('');
  return `${time.slice(11, 23)} ${level.padEnd(5)} ${service.padEnd(16)} ${msg}${shown}`;
};

const linesIn = (folder: string, isWanted: (name: string) => boolean): Line[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.log') && isWanted(name.slice(0, -'.log'.length)))
    .flatMap((name) => `${read(join(folder, `${name}.1`))}\n${read(join(folder, name))}`.split('\n'))
    .flatMap(lineOf);

/** The lines that name an id, and those of other services in the same traces. */
const following = (lines: readonly Line[], id: string): Line[] => {
  const names = (each: Line): boolean => Object.values(each).some((value) => textOf(value).includes(id));
  const naming = new Set(lines.filter(names));
  const traces = new Set([...naming].flatMap(({ trace_id: traceId }) => traceId ?? []));
  return lines.filter((each) => naming.has(each) || traces.has(each.trace_id ?? ''));
};

const earlierFirst = (one: Line, other: Line): number => (one.time < other.time ? -1 : 1);

const found = (folder: string, wanted: string): Line[] => {
  const isService = (name: string): boolean => name === wanted || name.replace(/-\d+$/, '') === wanted;
  const ofService = linesIn(folder, isService);
  if (ofService.length > 0) return ofService;
  return following(
    linesIn(folder, () => true),
    wanted,
  );
};

/** The lines of a service or replica, or those that follow an id of a request, session or trace through all services, in order of time. */
export const logsOf = (folder: string, wanted: string): string[] =>
  found(folder, wanted).sort(earlierFirst).map(printed);

/** A line of a log, for a page that leads on to its trace. */
export interface ShownLine {
  readonly text: string;
  readonly level: string;
  readonly traceId: string | undefined;
}

/** What of the logs is asked for. */
interface LogQuery {
  /** As for `logsOf`; empty: all lines. */
  readonly wanted: string;
  /** Only these levels; none: all. */
  readonly levels: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** The newest lines of a time, at most so many, the newest first. */
export const newestLines = (
  folder: string,
  { wanted, levels, fromMs, toMs }: LogQuery,
  limit = 500,
): ShownLine[] => {
  const all = wanted === '' ? linesIn(folder, () => true) : found(folder, wanted);
  const isAsked = ({ level, time }: Line): boolean =>
    (levels.length === 0 || levels.includes(level)) && Date.parse(time) >= fromMs && Date.parse(time) <= toMs;
  const newest = all.filter(isAsked).sort(earlierFirst).reverse().slice(0, limit);
  return newest.map((each) => ({ text: printed(each), level: each.level, traceId: each.trace_id }));
};
