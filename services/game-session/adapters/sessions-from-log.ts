import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { readBehind, withRecentLog } from '#libs/kafka/replay/recent-log.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { Ports } from '../ports.ts';

/** The log is read back at least ten minutes (D-24). */
const minWindowMs = 600_000;
const ofSessions = [
  'game-session.started',
  'game-session.heartbeat',
  'game-session.exhausted',
  'game-session.recharged',
  'game-session.ending',
  'game-session.ended',
] as const;
const ofLaunchers = [
  'launcher-session.started',
  'launcher-session.lapsed',
  'launcher-session.ended',
] as const;

/** Sessions and lapsed launchers of the recent log. It holds every session that plays, because each is on it at least once in an expiry window. */
export const sessionsFromLog = (kafka: KafkaConnection, limits: Limits): Ports['recentLog'] => {
  const expiryMs = (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000;
  const windowMs = Math.max(minWindowMs, 2 * expiryMs);
  return {
    open: (signal, use) => {
      const window = { kafka, windowMs, signal };
      return withRecentLog({ ...window, names: ofSessions }, (sessions) =>
        withRecentLog({ ...window, names: ofLaunchers }, (launchers) =>
          use({
            sessionParts: sessions.parts,
            launcherParts: launchers.parts,
            ends: sessions.ends,
            sessions: (part, onSessions) =>
              sessions.latest(part, (found) => onSessions(found.map(({ data }) => data.session))),
            lapses: (part, onLapses) =>
              launchers.latest(part, (found) =>
                onLapses(
                  new Map(
                    found.map(({ name, data }) => [
                      data.pcId,
                      name === 'launcher-session.lapsed' ? data.atMs : undefined,
                    ]),
                  ),
                ),
              ),
          }),
        ),
      );
    },
    behind: (ends, signal, onSessions) =>
      readBehind({ kafka, names: ofSessions, signal }, ends, (found) =>
        onSessions(found.map(({ data }) => data.session)),
      ),
  };
};
