import { driveOpen } from './drive.ts';
import type { Operations, Prepared } from './operations.ts';
import type { Pcs } from './pcs.ts';
import { phases, sessionsARequest } from './phases.ts';
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
  /** While it was measured; wrong answers to all else that was sent for it. */
  readonly beside: ReturnType<Players['beside']>;
}

/** What a phase is run with. */
export interface Field {
  readonly pcs: Pcs;
  readonly operations: Operations;
  readonly players: Players;
  readonly connections: () => number;
  /** Resolves when the product has done what it was asked for so far. */
  readonly caughtUp: () => Promise<void>;
  readonly onWindow: (isOpen: boolean) => Promise<void> | void;
}

const inTurn = (all: Operations, names: (typeof phases)[PhaseName]['operations']) => {
  let index = 0;
  return (): Prepared | undefined => {
    const name = names[(index += 1) % names.length] ?? 'heartbeat';
    return all[name]() ?? (names.length > 1 ? all.heartbeat() : undefined);
  };
};

/** Launchers that a phase needs whose players do not play: each asks for one token in its life, as far as there are so many. */
const waitingFor = ({ phase, sessions, ratePerSec, seconds, warmUpSec }: PhaseOrder): number => {
  const asked = Math.ceil(ratePerSec * (warmUpSec + seconds));
  const waiting = {
    ...{ nobody: 0, sessions: 0, 'sessions and launchers': fewLaunchers },
    launchers: Math.max(fewLaunchers, Math.min(sessions, asked)),
    tokens: Math.ceil(ratePerSec * presentMaxSec),
  };
  return waiting[phases[phase].needs];
};

/** Who plays sits. Launchers that a phase does not need are sent home: their heartbeats would be load that it is charged with. */
export const prepare = async ({ players }: Field, order: PhaseOrder): Promise<void> => {
  const [{ needs }, waiting] = [phases[order.phase], waitingFor(order)];
  if (needs.startsWith('sessions')) await players.seat(order.sessions);
  await players.sendHome(waiting);
  if (needs !== 'tokens') await players.launch(waiting);
  if (needs.startsWith('sessions')) await players.refresh();
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
  await driveOpen(
    {
      ratePerSec: ratePerSec / sessionsARequest(phase),
      seconds,
      warmUpSec,
      recorder,
      onWindow: (is) => void field.onWindow(is),
    },
    inTurn(field.operations, names),
  );
  return seconds;
};

const inStretches = async (field: Field, order: PhaseOrder): Promise<Omit<PhaseResult, 'beside'>> => {
  const recorder = createRecorder(performance.now());
  const { needs } = phases[order.phase];
  let seconds = await stretch(field, order, recorder);
  while (needs === 'tokens' && order.seconds - seconds > leastSliceSec) {
    await field.players.trim(Math.min(order.sessions, fewLaunchers));
    await field.caughtUp();
    const rest = { ...order, seconds: order.seconds - seconds, warmUpSec: warmUpAgainSec };
    seconds += await stretch(field, rest, recorder);
  }
  if (needs === 'tokens') await field.players.trim(order.sessions);
  return { ...recorder.result(), seconds, connections: field.connections() };
};

/** Counts what was sent beside a phase while it was measured. */
const watchBeside = (field: Field) => {
  const before = field.players.beside();
  let [launcherBeats, atOpen] = [0, 0];
  const onWindow: Field['onWindow'] = (isOpen) => {
    const { launcherBeats: now } = field.players.beside();
    if (isOpen) atOpen = now;
    else launcherBeats += now - atOpen;
    return field.onWindow(isOpen);
  };
  const result = () => ({ launcherBeats, wrong: field.players.beside().wrong - before.wrong });
  return { onWindow, result };
};

/** Runs a phase; verifies in stretches, because tokens do not keep. What launchers send beside it is load, and is not measured. */
export const runPhase = async (field: Field, order: PhaseOrder): Promise<PhaseResult> => {
  const { onWindow, result: beside } = watchBeside(field);
  await prepare(field, order);
  const over = new AbortController();
  const beating = field.players.keepLaunchers(over.signal);
  try {
    const result = await inStretches({ ...field, onWindow }, order);
    return { ...result, beside: beside() };
  } finally {
    over.abort();
    await beating;
  }
};
