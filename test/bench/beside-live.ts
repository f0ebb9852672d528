import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { redisSessions } from '../../services/game-session/adapters/redis-sessions.ts';
import { syntheticSession } from '../support/synthetic-session.ts';
import { comparisonOf, inTurn, printComparison } from './compare.ts';
import { achievedPerSec, cpuMsPerOp, lineOf } from './report.ts';
import type { PhaseReport } from './report.ts';
import type { Bench, Run } from './run-bench.ts';
import type { Driven } from './the-stack.ts';

type Print = (line: string) => void;

/** Longer than any run: nobody of them falls silent meanwhile, nor is anybody left for ever by a run that was killed. */
const liveMs = 3 * 3_600_000;
const atOnce = 5_000;
const lookEveryMs = 200;

/** Sessions that live beside those that are measured, and say nothing. */
interface Others {
  come(): Promise<void>;
  go(): Promise<void>;
  close(): void;
}

/** Nothing of what was written is still being saved, which would be charged to what is measured. */
const untilSaved = async (redis: Redis): Promise<void> => {
  const saving = /(rdb_bgsave_in_progress|aof_rewrite_in_progress):1/;
  while (saving.test(await redis.info('persistence'))) await setTimeout(lookEveryMs);
};

/** So many sessions in the hot view, each at a PC of its own. Nobody is asked about them, so the partner does not bill them. */
const othersOf = ({ redis: { url }, cafes }: Driven, count: number): Others => {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  const view = redisSessions(redis, specLimits, { packs: true });
  const nowMs = Date.now();
  const cafe = cafes[0]?.cafe_id ?? '';
  const others = Array.from({ length: count }, () => ({
    ...syntheticSession(cafe, nowMs),
    deadlineAtMs: nowMs + liveMs,
  }));
  return {
    come: async () => {
      await view.restore(others);
      await untilSaved(redis);
    },
    go: async () => {
      for (let at = 0; at < count; at += atOnce) {
        const some = others.slice(at, at + atOnce);
        await Promise.all(some.map(({ gameSessionId }) => view.update(gameSessionId, () => 'forget')));
      }
      await untilSaved(redis);
    },
    close: () => redis.disconnect(),
  };
};

interface Sides {
  readonly alone: PhaseReport[];
  readonly beside: PhaseReport[];
}

/** What is measured without and with so many others, and how often each. */
interface BesideLive {
  readonly run: Run;
  readonly live: number;
  readonly slices: number;
}

const measureSides = async (
  bench: Bench,
  others: Others,
  { run, live, slices }: BesideLive,
  print: Print,
): Promise<Sides> => {
  const sides: Sides = { alone: [], beside: [] };
  let here: keyof Sides = 'alone';
  const go = async (side: keyof Sides): Promise<void> => {
    if (side !== here) await (side === 'beside' ? others.come() : others.go());
    here = side;
  };
  try {
    // The others come and go once for two slices of each side.
    for (const side of inTurn(['alone', 'beside'] as const, slices)) {
      await go(side);
      const report = await bench.measure(run);
      sides[side].push(report);
      const besideLive = side === 'beside' ? live : 0;
      process.stdout.write(`${JSON.stringify({ beside_live: besideLive, ...lineOf(report) })}\n`);
      const [perSec, cpuMs] = [achievedPerSec(report).toFixed(0), cpuMsPerOp(report).toFixed(3)];
      print(`  beside ${besideLive} others: ${perSec}/s, ${cpuMs} ms of CPU each`);
    }
  } finally {
    await go('alone').finally(() => others.close());
  }
  return sides;
};

/** Measures a phase in turn without and with so many other live sessions; prints the ratios of the medians. */
export const measureBesideLive = async (
  stack: Driven,
  bench: Bench,
  what: BesideLive,
  print: Print,
): Promise<PhaseReport[]> => {
  await bench.seat(what.run.sessions);
  const { alone, beside } = await measureSides(bench, othersOf(stack, what.live), what, print);
  const rows = comparisonOf(alone, beside);
  printComparison({ a: 'alone', b: `beside ${what.live} live`, rows }, print);
  const cpuRatio = rows.find(({ what: figure }) => figure === 'cpu_ms_per_op')?.ratio ?? NaN;
  const besideLive = { sessions: what.live, cpuRatio };
  return [...alone, ...beside.map((report) => ({ ...report, besideLive }))];
};
