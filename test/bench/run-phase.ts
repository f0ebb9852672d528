import { driveOpen } from './drive.ts';
import type { Operations, Prepared } from './operations.ts';
import type { Pcs } from './pcs.ts';
import { batchSize, phases } from './phases.ts';
import type { PhaseName } from './phases.ts';
import type { Players } from './players.ts';
import { createRecorder } from './recorder.ts';
import type { Recorded } from './recorder.ts';

/** Tokens live for a minute: so long at most it takes to collect them, and to present what was collected. */
const stockMaxSec = 25;
const presentMaxSec = 30;
const leastSliceSec = 0.5;
const warmUpAgainSec = 1;
/** At most this share of the players is used up before the phase is measured. */
const warmUpShare = 0.2;
const fewLaunchers = 2_000;

/** What a phase is asked to do. */
export interface PhaseOrder {
  readonly phase: PhaseName;
  /** Sessions a second. */
  readonly ratePerSec: number;
  readonly seconds: number;
  readonly warmUpSec: number;
  readonly sessions: number;
}

/** What a phase brought, and for how long it was measured. */
export interface PhaseResult extends Recorded {
  readonly seconds: number;
  readonly connections: number;
}

/** What a phase is run with. */
export interface Field {
  readonly pcs: Pcs;
  readonly operations: Operations;
  readonly players: Players;
  readonly connections: () => number;
  readonly onWindow: (isOpen: boolean) => Promise<void> | void;
}

const inTurn = (all: Operations, names: (typeof phases)[PhaseName]['operations']) => {
  let index = 0;
  return (): Prepared | undefined => {
    const name = names[(index += 1) % names.length] ?? 'heartbeat';
    return all[name]() ?? (names.length > 1 ? all.heartbeat() : undefined);
  };
};

const prepare = async ({ players }: Field, { phase, sessions, ratePerSec }: PhaseOrder): Promise<void> => {
  const { needs } = phases[phase];
  if (needs === 'launchers') await players.launch(Math.max(fewLaunchers, 2 * ratePerSec));
  if (!needs.startsWith('sessions')) return;
  await players.seat(sessions);
  if (needs === 'sessions and launchers') await players.launch(fewLaunchers);
  await players.refresh();
};

/** How many players a phase that uses them up has. */
const supply = async ({ pcs, players }: Field, order: PhaseOrder, forSec: number): Promise<number> => {
  if (phases[order.phase].needs !== 'tokens') return pcs.playing.size;
  await players.stock(Math.ceil(order.ratePerSec * forSec), stockMaxSec);
  return pcs.launching.size;
};

/** One stretch of a phase: as long as was asked for, or as the players last. Resolves to its seconds. */
const stretch = async (
  field: Field,
  order: PhaseOrder,
  recorder: ReturnType<typeof createRecorder>,
): Promise<number> => {
  const { phase, ratePerSec } = order;
  const { operations: names, needs, spends } = phases[phase];
  const longest = needs === 'tokens' ? presentMaxSec : Infinity;
  const atMostSec = Math.min(order.warmUpSec + order.seconds, longest);
  const players = spends ? await supply(field, order, atMostSec) : Infinity;
  const warmUpSec = Math.min(order.warmUpSec, (warmUpShare * players) / ratePerSec);
  const seconds = Math.min(order.seconds, atMostSec - warmUpSec, players / ratePerSec - warmUpSec);
  if (seconds < leastSliceSec) throw new Error(`too few players for ${ratePerSec} a second: ${players}`);
  const weight = phase === 'batch' ? batchSize : 1;
  await driveOpen(
    {
      ratePerSec: ratePerSec / weight,
      seconds,
      warmUpSec,
      recorder,
      onWindow: (is) => void field.onWindow(is),
    },
    inTurn(field.operations, names),
  );
  return seconds;
};

const inStretches = async (field: Field, order: PhaseOrder): Promise<PhaseResult> => {
  const recorder = createRecorder(performance.now());
  const { needs } = phases[order.phase];
  let seconds = await stretch(field, order, recorder);
  while (needs === 'tokens' && order.seconds - seconds > leastSliceSec) {
    await field.players.trim(order.sessions);
    const rest = { ...order, seconds: order.seconds - seconds, warmUpSec: warmUpAgainSec };
    seconds += await stretch(field, rest, recorder);
  }
  if (needs === 'tokens') await field.players.trim(order.sessions);
  return { ...recorder.result(), seconds, connections: field.connections() };
};

/** Runs a phase; verifies in stretches, because tokens do not keep. What launchers send beside it is load, and is not measured. */
export const runPhase = async (field: Field, order: PhaseOrder): Promise<PhaseResult> => {
  await prepare(field, order);
  const over = new AbortController();
  const beating = field.players.keepLaunchers(over.signal);
  try {
    return await inStretches(field, order);
  } finally {
    over.abort();
    await beating;
  }
};
