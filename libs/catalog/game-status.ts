import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Log } from '#libs/runtime/log.ts';
import { generationOf, writtenCondition } from './accepted-condition.ts';
import type { AcceptedCondition } from './accepted-condition.ts';
import { nameOf } from './cluster-objects.ts';
import type { ClusterObject, Validation } from './cluster-objects.ts';

const maxMessageLength = 1_024;
/** So long a replica leaves another's verdict where its own was: two that disagree would write for ever. */
const againAfterMs = 30_000;

const conditionOf = (game: ClusterObject, refused: Validation['refused']): AcceptedCondition => {
  const problem = refused.get(nameOf(game));
  return {
    type: 'Accepted',
    status: problem === undefined ? 'True' : 'False',
    reason: problem === undefined ? 'InForce' : 'Refused',
    message: problem?.slice(0, maxMessageLength) ?? '',
    observedGeneration: generationOf(game),
  };
};

const isWritten = (game: ClusterObject, wanted: AcceptedCondition): boolean => {
  const written = writtenCondition(game);
  return (
    written?.status === wanted.status &&
    written.message === wanted.message &&
    written.observedGeneration === wanted.observedGeneration
  );
};

interface StatusOptions {
  readonly set: (name: string, status: unknown) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Remembers which verdict was written last on each Game. */
const createWritten = (clock: Clock) => {
  const last = new Map<string, { readonly verdict: AcceptedCondition; readonly atMs: number }>();
  const idOf = ({ metadata }: ClusterObject): string => metadata?.uid ?? metadata?.name ?? '';
  return {
    isRecent: (game: ClusterObject, verdict: AcceptedCondition): boolean => {
      const written = last.get(idOf(game));
      const isSame = written !== undefined && isDeepStrictEqual(written.verdict, verdict);
      return isSame && Math.abs(clock() - written.atMs) < againAfterMs;
    },
    note: (game: ClusterObject, verdict: AcceptedCondition): void =>
      void last.set(idOf(game), { verdict, atMs: clock() }),
    forget: (game: ClusterObject): void => void last.delete(idOf(game)),
  };
};

/**
 * Writes the condition Accepted into the status of each Game (D-32), only where the status differs from it. All replicas mostly write the
 * same value; a verdict that another one has replaced is written again when half a minute is over and something is read. A failure is
 * logged; the next change or resync tries again.
 */
export const createStatusWriter = ({ set, clock, log }: StatusOptions) => {
  const written = createWritten(clock);
  const write = async (game: ClusterObject, verdict: AcceptedCondition): Promise<void> => {
    const gameId = game.metadata?.name ?? '';
    const lastTransitionTime = new Date(clock()).toISOString();
    const { observedGeneration } = verdict;
    written.note(game, verdict);
    await set(gameId, { observedGeneration, conditions: [{ ...verdict, lastTransitionTime }] }).catch(
      (error: unknown) => {
        written.forget(game);
        log.warn({ error, gameId }, "a Game's status could not be written");
      },
    );
  };
  return async (games: readonly ClusterObject[], { refused }: Validation): Promise<void> => {
    for (const game of games) {
      const verdict = conditionOf(game, refused);
      if (!isWritten(game, verdict) && !written.isRecent(game, verdict)) await write(game, verdict);
    }
  };
};
