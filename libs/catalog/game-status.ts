import type { Log } from '#libs/runtime/log.ts';
import { nameOf } from './cluster-objects.ts';
import type { ClusterObject, Validation } from './cluster-objects.ts';

const maxMessageLength = 1_024;

/** The condition Accepted of a Game, as Kubernetes writes conditions. */
const conditionOf = (game: ClusterObject, refused: Validation['refused']) => {
  const problem = refused.get(nameOf(game));
  return {
    type: 'Accepted',
    status: problem === undefined ? 'True' : 'False',
    reason: problem === undefined ? 'InForce' : 'Refused',
    message: problem?.slice(0, maxMessageLength) ?? '',
    observedGeneration: game.metadata?.generation ?? 0,
  };
};

type Condition = ReturnType<typeof conditionOf>;

const isWritten = (game: ClusterObject, wanted: Condition): boolean => {
  const { conditions = [] } = (game.status ?? {}) as { conditions?: Partial<Condition>[] };
  const written = conditions.find(({ type }) => type === wanted.type);
  return (
    written?.status === wanted.status &&
    written.message === wanted.message &&
    written.observedGeneration === wanted.observedGeneration
  );
};

interface StatusOptions {
  readonly set: (name: string, status: unknown) => Promise<unknown>;
  readonly nowIso: () => string;
  readonly log: Log;
}

/**
 * Writes the condition Accepted into the status of each Game (D-32). All replicas write the same value, and only where the status differs
 * from it. A failure is logged; the next change or resync tries again.
 */
export const createStatusWriter =
  ({ set, nowIso, log }: StatusOptions) =>
  async (games: readonly ClusterObject[], { refused }: Validation): Promise<void> => {
    for (const game of games) {
      const wanted = conditionOf(game, refused);
      if (isWritten(game, wanted)) continue;
      const status = {
        observedGeneration: wanted.observedGeneration,
        conditions: [{ ...wanted, lastTransitionTime: nowIso() }],
      };
      await set(game.metadata?.name ?? '', status).catch((error: unknown) =>
        log.warn({ error, gameId: game.metadata?.name }, "a Game's status could not be written"),
      );
    }
  };
