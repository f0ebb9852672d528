import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { stackFile } from '#simulators/stack-file.ts';
import { startOf } from '../../deploy/local/processes.ts';
import type { Measured } from './usage.ts';

/** Why the bench cannot begin, in one sentence. */
export class NoStack extends Error {}

/** What the bench reads of a stack: the stacks of older checkouts, which `--compare` starts, have it too. */
const driven = stackFile.pick({
  launcher: true,
  game: true,
  partner: true,
  cafes: true,
  redis: true,
  processes: true,
});
/** The addresses and keys of a stack. */
export type Driven = z.output<typeof driven>;

/** The stack that is driven, and the processes whose costs are counted. */
export interface TheStack {
  readonly facts: Driven;
  readonly processes: readonly Measured[];
  /** Lets another bench drive it. */
  leave(): void;
}

const runFile = z.object({ children: z.array(z.object({ name: z.string(), pid: z.int() })) });
const lockFile = z.object({ pid: z.int(), started: z.string() });

const readJson = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
};

const factsIn = (path: string): Driven => {
  const read = driven.safeParse(readJson(path));
  const game = read.success && read.data.processes.find(({ service }) => service === 'game-session');
  if (read.success && game && startOf(game.pid) !== undefined) return read.data;
  throw new NoStack(`No stack runs here (${path}): start one with RATE_LIMITS=off npm start.`);
};

/**
 * One bench drives a stack at a time: two would measure each other. The lock of a bench that has died is taken over; one that tells of nobody
 * is being written.
 */
const lock = (path: string): (() => void) => {
  const holder = lockFile.safeParse(readJson(path));
  if (holder.success && startOf(holder.data.pid) === holder.data.started)
    throw new NoStack(`Another bench drives this stack (pid ${holder.data.pid}); wait until it has ended.`);
  if (holder.success) rmSync(path, { force: true });
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid) });
  try {
    writeFileSync(path, mine, { flag: 'wx' });
  } catch {
    throw new NoStack('Another bench has just begun to drive this stack; wait until it has ended.');
  }
  return () => rmSync(path, { force: true });
};

/** The services, each by the name of its replica where it has several. */
export const servicesOf = ({ processes }: Driven): Measured[] =>
  processes.map(({ service, replica, pid }) => ({ name: replica ?? service, pid }));

/** Services and stores, by the names that they were started under. Stores that the environment names have no process here. */
const processesOf = (facts: Driven, folder: string): Measured[] => {
  const run = runFile.safeParse(readJson(join(folder, 'run.json')));
  const started = run.success ? run.data.children : [];
  const services = servicesOf(facts);
  const known = new Set(services.map(({ pid }) => pid));
  return [...services, ...started.filter(({ pid }) => !known.has(pid))].map(({ name, pid }) => ({
    name,
    pid,
  }));
};

/** Takes the stack that has written this file. Throws NoStack when there is none, or another bench drives it. */
export const takeStack = (path: string): TheStack => {
  const facts = factsIn(path);
  const leave = lock(join(dirname(path), 'bench.lock'));
  return { facts, processes: processesOf(facts, dirname(path)), leave };
};
