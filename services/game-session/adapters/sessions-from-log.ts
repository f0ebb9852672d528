import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { latestByKey } from '#libs/kafka/replay/latest-by-key.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { Ports } from '../ports.ts';

/** The log is read back at least ten minutes (D-24). */
const minWindowMs = 600_000;

/** Sessions and lapsed launchers of the recent log. It holds every session that plays, because each is on it at least once in an expiry window. */
export const sessionsFromLog = (kafka: KafkaConnection, limits: Limits): Ports['recentLog'] => {
  const expiryMs = (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000;
  const windowMs = Math.max(minWindowMs, 2 * expiryMs);
  return {
    sessions: async (signal) => {
      const names = [
        'game-session.started',
        'game-session.heartbeat',
        'game-session.exhausted',
        'game-session.recharged',
        'game-session.ending',
        'game-session.ended',
      ] as const;
      const found = await latestByKey({ kafka, names, windowMs, signal });
      return found.map(({ data }) => data.session);
    },
    lapsedPcs: async (signal) => {
      const names = [
        'launcher-session.started',
        'launcher-session.lapsed',
        'launcher-session.ended',
      ] as const;
      const found = await latestByKey({ kafka, names, windowMs, signal });
      const lapsed = found.filter(({ name }) => name === 'launcher-session.lapsed');
      return new Map(lapsed.map(({ data }) => [data.pcId, data.atMs]));
    },
  };
};
