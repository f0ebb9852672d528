import type { OperationName } from './operations.ts';

/** What is measured, one after the other: the sessions of a fresh stack first, whose memory is measured while they begin; in the end all end. */
export const phaseNames = [
  ...(['heartbeat', 'batch', 'storm', 'mixed', 'end', 'start', 'ott', 'verify'] as const),
  'batch-end',
] as const;
/** A phase. */
export type PhaseName = (typeof phaseNames)[number];

interface Phase {
  /** A second, in sessions; a little above the target, so that whoever keeps up reaches it. */
  readonly ratePerSec: number;
  /** What the requests are, in turn. */
  readonly operations: readonly OperationName[];
  /** Who has to be there before it begins. */
  readonly needs: 'nobody' | 'launchers' | 'tokens' | 'sessions' | 'sessions and launchers';
  /** Each request uses a player up, so that the phase ends with the players. */
  readonly spends: boolean;
  /** Work of its requests goes on after it, and is counted then: stops at the partner give way while many end (D-61). */
  readonly leaves?: true;
}

const heartbeats = (count: number): OperationName[] => Array.from({ length: count }, () => 'heartbeat');

/** Players come and go among a hundred who play: of 50 requests one is a start, two tokens, two verifies, two ends. */
const mixture: OperationName[] = [
  ...['start' as const, ...heartbeats(10), 'ott' as const, 'verify' as const, ...heartbeats(11)],
  ...[
    'end' as const,
    ...heartbeats(10),
    'ott' as const,
    'verify' as const,
    ...heartbeats(12),
    'end' as const,
  ],
];

const ending = { needs: 'sessions', spends: true, leaves: true } as const;

/** The phases. `storm` is the heartbeats of everybody at twice the rate. */
export const phases: Readonly<Record<PhaseName, Phase>> = {
  start: { ratePerSec: 1_010, operations: ['start'], needs: 'nobody', spends: false },
  ott: { ratePerSec: 1_010, operations: ['ott'], needs: 'launchers', spends: false },
  verify: { ratePerSec: 1_010, operations: ['verify'], needs: 'tokens', spends: true },
  heartbeat: { ratePerSec: 3_080, operations: ['heartbeat'], needs: 'sessions', spends: false },
  batch: { ratePerSec: 10_100, operations: ['batch'], needs: 'sessions', spends: false },
  storm: { ratePerSec: 6_160, operations: ['heartbeat'], needs: 'sessions', spends: false },
  mixed: { ratePerSec: 1_500, operations: mixture, needs: 'sessions and launchers', spends: false },
  end: { ratePerSec: 3_030, operations: ['end'], ...ending },
  'batch-end': { ratePerSec: 5_000, operations: ['batch-end'], ...ending },
};

/** Sessions in one request of a batch. */
export const batchSize = 500;

/** Sessions in one request of a phase. */
export const sessionsARequest = (phase: PhaseName): number => (phase.startsWith('batch') ? batchSize : 1);
