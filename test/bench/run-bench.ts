import { specLimits } from '#libs/kernel/limits.ts';
import { aftermathOf } from './aftermath.ts';
import { measureBesideSilence } from './beside-silence.ts';
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
const refreshMs = 10_000;

type Print = (line: string) => void;

/** What is measured: a phase, by default as the options say and at its usual rate, in sessions a second. */
export interface Run {
  readonly phase: PhaseName;
  readonly rate?: number | undefined;
  readonly seconds?: number;
  readonly sessions?: number;
  /** So many others fall silent at once meanwhile. */
  readonly silent?: number | undefined;
}

/** A stack under load. */
export interface Bench {
  measure(run: Run): Promise<PhaseReport>;
  /** Seats players, without measuring: as many as the options say by default. */
  seat(sessions?: number): Promise<void>;
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
      services: facts.processes,
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

/** No more sessions than beat as often as they may: their launchers' heartbeats would be most of what is measured. */
const orderOf = (run: Run, options: Options): PhaseOrder => {
  const { phase, rate: ratePerSec = phases[phase].ratePerSec } = run;
  const { seconds = options.seconds, sessions: wanted = options.sessions } = run;
  const sessions = Math.ceil(Math.min(wanted, ratePerSec * specLimits.heartbeatIntervalSec));
  return { phase, ratePerSec, seconds, warmUpSec: options.warmup, sessions };
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
  const measure = async (order: PhaseOrder): Promise<PhaseReport> => {
    const { phase, seconds, sessions } = order;
    let openedAtMs: number | undefined;
    const meter = createMeter(processes);
    let middle: NodeJS.Timeout | undefined;
    const profiling = options.profile ? createProfiling(servicesOf(stack.facts), seconds) : undefined;
    generator.onWindow((isOpen) => {
      meter.window(isOpen);
      if (isOpen) openedAtMs ??= Date.now();
      if (isOpen) middle ??= setTimeout(meter.middle, seconds * 500);
      if (isOpen) profiling?.begin();
    });
    if (phases[phase].needs.startsWith('sessions') && memory.perSession() === undefined)
      await memory.seat(sessions);
    const result = await generator.phase(order);
    clearTimeout(middle);
    const after = phases[phase].leaves && (await aftermathOf(processes));
    const ended = meter.ended();
    if (ended.length > 0)
      throw new Error(`${ended.join(', ')} ended since the bench began: costs would be missing`);
    return {
      ...{ order, result, openedAtMs, cpuMs: { ...meter.cpuMs() }, after, ...meter.rss() },
      redisBytesPerSession: memory.perSession(),
      ceiling: known,
      profiles: await profiling?.done(),
    };
  };
  const besideSilence = (silent: number, order: PhaseOrder) =>
    measureBesideSilence(silent, {
      fallSilent: (ready) => fallSilent(stack.facts, silent, ready),
      ready: async () => {
        await memory.seat(order.sessions);
        await generator.prepare(order);
      },
      measure: () => measure(order),
      leadMs: order.warmUpSec * 1000 + refreshMs,
    });
  return {
    ceiling,
    measure: (run) => {
      const { silent = options.silent } = run;
      const order = orderOf(run, options);
      return silent === undefined ? measure(order) : besideSilence(silent, order);
    },
    seat: (sessions = options.sessions) => memory.seat(sessions),
    leave: generator.leave,
    stop: generator.stop,
  };
};
