import type { Limits } from '#libs/kernel/limits.ts';
import type { RateLimit } from '#libs/kernel/rate.ts';
import type { MassExpiryGuard } from '#libs/records/mass-expiry-guard.ts';
import type { RecordRead, RecordStore, TrustedServer } from '#libs/records/record-types.ts';
import { shardOfGameSession, shardOfPc } from '#libs/kernel/shards.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import type { Redis } from '#libs/redis/connection.ts';
import type { LauncherChange } from '../core/launcher-change.ts';
import { createAwaitedCalls } from './awaited-calls.ts';
import { redisBeat } from './redis-beat.ts';
import { redisOver } from './redis-over.ts';
import { sessionForm } from './session-form.ts';
import { plays } from '../core/session.ts';
import type { Session } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/** What the Redis keys of game sessions begin with. */
export const sessionsPrefix = 'gsb:game-session';

interface Options {
  /** How often one session may have heartbeats; without it as often as it likes. */
  readonly heartbeats?: RateLimit | undefined;
  /** Whether records are written packed (D-57). */
  readonly packs: boolean;
  readonly trust?: TrustedServer;
  readonly massExpiryGuard?: MassExpiryGuard;
}

const markPattern = /^(\d+)(?: (started|lapsed|ended) (\S+))?$/;

/** The mark of a session's owner, its PC, is what the PC's launcher did last; an instant alone is that of a lapse. */
const launcherOf = (mark = ''): LauncherChange | undefined => {
  const [, atMs, change = 'lapsed', id] = markPattern.exec(mark) ?? [];
  const launcherSessionId = id === '-' ? undefined : id;
  if (atMs === undefined) return undefined;
  return { change: change as LauncherChange['change'], atMs: Number(atMs), launcherSessionId };
};
/** Which launcher session has begun is of no interest: every later one of the PC counts. */
const markOf = ({ change, launcherSessionId = '-' }: LauncherChange): string =>
  `${change} ${change === 'started' ? '-' : launcherSessionId}`;
const withLauncher = <T extends RecordRead<Session>>(read: T) => ({
  ...read,
  launcher: launcherOf(read.mark),
});

const undecided = async () => undefined;
/** Leaves everything to `update`. */
export const noneOver: Ports['sessions']['over'] = { end: undecided, due: undecided, stopped: undecided };

/** Game sessions in Redis: the record, who plays at the PC, and what its launcher did last, all in the PC's shard. */
export const redisSessions = (
  redis: Redis,
  limits: Limits,
  { heartbeats, packs, ...guards }: Options,
): Ports['sessions'] & Pick<RecordStore<Session>, 'due' | 'postpone'> => {
  const inRedis = { redis, prefix: sessionsPrefix, awaited: createAwaitedCalls(guards.trust) };
  const store = createRecordStore<Session>({
    ...inRedis,
    ...guards,
    ...sessionForm,
    packs,
    holdsSeat: plays,
    expires: plays,
    idOf: ({ gameSessionId }) => gameSessionId,
    ownerOf: ({ pcId }) => pcId,
    shardOf: shardOfGameSession,
    shardOfOwner: shardOfPc,
    amnestyMs: (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000,
    heartbeatMs: limits.heartbeatIntervalSec * 1000,
  });
  const { read, update, due, postpone, holderOf, mark, restore, restoreMarks, settleContests } = store;
  return {
    due,
    postpone,
    holderOf,
    // A script that kept packed sessions packed would hide them from the version that a rollback brings (D-57).
    beat: packs ? redisBeat({ ...inRedis, heartbeats }, limits) : undecided,
    over: packs ? redisOver(inRedis, limits) : noneOver,
    read: async (gameSessionId) => withLauncher(await read(gameSessionId)),
    update: (gameSessionId, decide, pcId, options) =>
      update(gameSessionId, (current) => decide(withLauncher(current)), pcId, options),
    updateByBeat: (gameSessionId, decide) =>
      update(gameSessionId, (current) => decide(withLauncher(current)), undefined, { limit: heartbeats }),
    // A start takes back what the launcher did before, which concerns a session that began before it.
    noteLauncher: (pcId, change) =>
      mark(pcId, markOf(change), change.atMs, { ofHolder: change.change === 'started' }),
    restore,
    settleContests,
    restoreLaunchers: (changes) =>
      restoreMarks(changes.map(([owner, change]) => ({ owner, mark: markOf(change), atMs: change.atMs }))),
  };
};
