import { setTimeout } from 'node:timers/promises';
import { specLimits } from '#libs/kernel/limits.ts';
import { aftermathOf } from './aftermath.ts';
import { measureCeiling } from './ceiling.ts';
import type { Ceiling } from './ceiling.ts';
import { startGenerator } from './generator-process.ts';
import type { GeneratorProcess } from './generator-process.ts';
import type { Options } from './options.ts';
import { phases } from './phases.ts';
import type { PhaseName } from './phases.ts';
import { createProfiling } from './profile/profile-services.ts';
import { redisBytes } from './redis-memory.ts';
import type { PhaseReport } from './report.ts';
import type { PhaseOrder } from './run-phase.ts';
import { fallSilent } from './silence.ts';
import { servicesOf } from './the-stack.ts';
import type { TheStack } from './the-stack.ts';
import { createMeter } from './usage.ts';

/** The largest that the partner's contract knows: no cafe's balance is used up by the bench. */
const balanceSec = 1_000_000_000;
/** How many connections one of game servers may become when none is free. */
const growth = 4;
/** How long it takes at most to hear everybody again before a phase, in ms. */
const refreshMs = 3_000;

type Print = (line: string) => void;

/** A stack under load. */
export interface Bench {
  /** Measures a phase at a rate, in sessions a second; while others fall silent at once, where that was asked for. */
  measure(phase: PhaseName, ratePerSec?: number): Promise<PhaseReport>;
  /** Seats the players, without measuring. */
  seat(): Promise<void>;
  ceiling(): Promise<Ceiling>;
  /** Everybody goes, so that nobody falls silent beside what is measured next. */
  leave(): Promise<void>;
  stop(): void;
}

const fillBalances = async ({ facts }: TheStack): Promise<void> => {
  for (const { cafe_id: cafe } of facts.cafes) {
    const body = JSON.stringify({ remaining_sec: balanceSec });
    const headers = { 'Content-Type': 'application/json' };
    const url = `${facts.partner.url}/control/cafes/${cafe}`;
    const { ok, status } = await fetch(url, { method: 'PUT', headers, body });
    if (!ok) throw new Error(`the partner does not take a balance: ${status}`);
  }
};

/** Players of a stack's first game, in a process of their own. */
export const generatorOf = async (
  { facts }: TheStack,
  { connections }: Pick<Options, 'connections'>,
  print: Print,
): Promise<GeneratorProcess> => {
  const [game] = facts.game.games;
  if (game === undefined) throw new Error('the stack has no game');
  return startGenerator(
    {
      ...{ launcherUrl: facts.launcher.url, gameUrl: facts.game.url, cafes: facts.cafes },
      game: { id: game.game_id, apiKey: game.api_keys[0] ?? '' },
      ...{ connections, mostConnections: connections * growth },
    },
    print,
  );
};

/** What a session with its launcher takes in Redis: measured while sessions begin. */
const createMemory = (url: string, generator: GeneratorProcess) => {
  let perSession: number | undefined;
  return {
    seat: async (sessions: number): Promise<void> => {
      const before = await redisBytes(url);
      await generator.seat(sessions);
      perSession ??= ((await redisBytes(url)) - before) / sessions;
    },
    perSession: () => perSession,
  };
};

/** Drives a stack. */
export const benchOf = async (stack: TheStack, options: Options, print: Print): Promise<Bench> => {
  await fillBalances(stack);
  const generator = await generatorOf(stack, options, print);
  const processes = [...stack.processes, { name: 'generator', pid: generator.pid }];
  const redisUrl = stack.facts.redis.url;
  const memory = createMemory(redisUrl, generator);
  let known: Ceiling | undefined;
  const ceiling = async () => (known ??= await measureCeiling(redisUrl, generator));
  const measure: Bench['measure'] = async (phase, ratePerSec = phases[phase].ratePerSec) => {
    const { seconds, warmup: warmUpSec } = options;
    // No more sessions than beat as often as they may: their launchers' heartbeats would be most of what is measured.
    const sessions = Math.ceil(Math.min(options.sessions, ratePerSec * specLimits.heartbeatIntervalSec));
    const order: PhaseOrder = { phase, ratePerSec, seconds, warmUpSec, sessions };
    const meter = createMeter(processes);
    const profiling = options.profile ? createProfiling(servicesOf(stack.facts), seconds) : undefined;
    generator.onWindow((isOpen) => {
      meter.window(isOpen);
      if (isOpen) profiling?.begin();
    });
    if (phases[phase].needs.startsWith('sessions') && memory.perSession() === undefined)
      await memory.seat(sessions);
    const result = await generator.phase(order);
    const after = phases[phase].leaves && (await aftermathOf(processes));
    const ended = meter.ended();
    if (ended.length > 0)
      throw new Error(`${ended.join(', ')} ended since the bench began: costs would be missing`);
    return {
      ...{ order, result, cpuMs: { ...meter.cpuMs() }, after, ...meter.rss() },
      redisBytesPerSession: memory.perSession(),
      ceiling: known,
      profiles: await profiling?.done(),
    };
  };
  const besideSilence = async (sessions: number, ...what: Parameters<Bench['measure']>) => {
    await memory.seat(options.sessions);
    const { dueAtMs, swept } = await fallSilent(stack.facts, sessions);
    await setTimeout(dueAtMs - Date.now() - options.warmup * 1000 - refreshMs);
    const [report, sweptSec] = await Promise.all([measure(...what), swept()]);
    return { ...report, silence: { sessions, sweptSec } };
  };
  return {
    ceiling,
    measure: (...what) =>
      options.silent === undefined ? measure(...what) : besideSilence(options.silent, ...what),
    seat: () => memory.seat(options.sessions),
    leave: generator.leave,
    stop: generator.stop,
  };
};
