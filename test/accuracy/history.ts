import { createWriteStream, readFileSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { z } from 'zod';
import { BadOptions } from '../support/command-options.ts';

const at = z.number();
const sec = z.number();
const id = z.string();

/** What somebody does at an edge. */
export const operation = z.enum(['sit', 'hold', 'ott', 'verify', 'beat', 'end', 'close']);

/** One line of a history. Instants are in ms since the run began, durations of play in seconds. */
export const historyLine = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('run'),
    seed: z.int(),
    minutes: z.number(),
    players: z.int(),
    topology: z.enum(['one', 'many']).optional(),
    /** When the run began, in ms since the epoch. */
    began: z.number(),
    limits: z.record(z.string(), z.string()),
  }),
  z.object({
    kind: z.literal('call'),
    at,
    took: z.number(),
    op: operation,
    pc: z.string(),
    /** What the caller received: a result, a reason, an error's code, or NOTHING. */
    outcome: z.string(),
    status: z.int(),
    token: z.int().optional(),
    session: id.optional(),
    sec: sec.optional(),
    /** The number of the batch that it was an item of; its instants and, without an answer of its own, its outcome are the batch's. */
    batch: z.int().optional(),
  }),
  /** The player stopped playing: what the game server's own clock has measured. */
  z.object({ kind: z.literal('played'), at, session: id, sec: z.number() }),
  z.object({ kind: z.literal('fault'), at, until: at, name: z.string(), what: z.string() }),
  z.object({ kind: z.literal('sample'), at, live: z.int(), lag: z.number() }),
  z.object({ kind: z.literal('phase'), at, name: z.enum(['over', 'settled', 'gave up']) }),
  z.object({
    kind: z.literal('partner'),
    id,
    user: z.string(),
    status: z.enum(['started', 'stopped']),
    sec,
    starts: z.int(),
    stops: z.int(),
  }),
  z.object({
    kind: z.literal('settled'),
    id,
    pc: z.string(),
    began: at,
    ended: at,
    reason: z.string(),
    sec,
    client: sec.nullable(),
    partner: sec.nullable(),
  }),
  z.object({
    kind: z.literal('log'),
    id,
    user: z.string(),
    pc: z.string(),
    /** Billing was pending, and the partner refused it when it was back (D-12). */
    refused: z.boolean(),
    /** Its end was said again, because billing may have started when play was over (D-60). */
    stoppedAgain: z.boolean(),
    /** Version, state and seconds of each event that is not just another heartbeat, in the order of the log. */
    steps: z.array(z.tuple([z.int(), z.string(), sec])),
  }),
  /** Tokens that are `claimed` at the end, by the game session that would have become of them, on the log and in Redis. */
  z.object({
    kind: z.literal('claims'),
    tokens: z.int(),
    log: z.array(id),
    redis: z.array(id),
  }),
  /** Messages on the log that carry several events (D-39), and how many events those are. */
  z.object({ kind: z.literal('bundles'), messages: z.int(), events: z.int() }),
  z.object({ kind: z.literal('dead'), count: z.int(), reasons: z.array(z.string()) }),
]);

/** One line of a history. */
export type HistoryLine = z.output<typeof historyLine>;
/** The lines of one kind. */
export type LineOf<K extends HistoryLine['kind']> = Extract<HistoryLine, { kind: K }>;
/** What somebody does at an edge. */
export type Operation = z.output<typeof operation>;

/** A history as it is written: every request, answer and fault, one JSON line each. */
export interface History {
  /** When the run began, in ms since the epoch. */
  readonly beganAt: number;
  /** Milliseconds since the run began. */
  now(): number;
  add(line: HistoryLine): void;
  readonly lines: readonly HistoryLine[];
  close(): Promise<void>;
}

/** Begins a history, kept in memory and in a file. */
export const beginHistory = (path: string): History => {
  const file = createWriteStream(path);
  const lines: HistoryLine[] = [];
  const began = performance.now();
  return {
    beganAt: performance.timeOrigin + began,
    lines,
    now: () => Math.round(performance.now() - began),
    add: (line) => {
      // A run that failed closes its history while its players still finish their calls.
      if (file.writableEnded) return;
      lines.push(line);
      file.write(`${JSON.stringify(line)}\n`);
    },
    close: async () => {
      file.end();
      await finished(file);
    },
  };
};

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new BadOptions(`--judge: ${path} cannot be read.`, { cause });
  }
};

const lineOf = (path: string, text: string, index: number): HistoryLine => {
  try {
    return historyLine.parse(JSON.parse(text));
  } catch (cause) {
    throw new BadOptions(`--judge: ${path} is no history, by its line ${index + 1}.`, { cause });
  }
};

/** Reads a history again. Throws BadOptions where there is none. */
export const readHistory = (path: string): HistoryLine[] => {
  const texts = textOf(path).split('\n');
  const lines = texts.flatMap((text, index) => (text === '' ? [] : [lineOf(path, text, index)]));
  if (lines.some(({ kind }) => kind === 'run')) return lines;
  throw new BadOptions(`--judge: ${path} is no history: it tells of no run.`);
};
