import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { readBehind, withRecentLog } from '#libs/kafka/replay/recent-log.ts';
import type { LoggedEvent } from '#libs/kafka/replay/recent-log.ts';
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

const changes = {
  'launcher-session.started': 'started',
  'launcher-session.lapsed': 'lapsed',
  'launcher-session.ended': 'ended',
} as const;

const changeOf = ({ name, data }: LoggedEvent<(typeof ofLaunchers)[number]>) =>
  [data.pcId, { change: changes[name], launcherSessionId: data.launcherSessionId, atMs: data.atMs }] as const;

/** Sessions and launchers of the recent log. It holds every session that plays, because each is on it at least once in an expiry window. */
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
              sessions.latest([part], (found) => onSessions(found.map(({ data }) => data.session))),
            launchers: (part, onChanges) =>
              launchers.latest([part], (found) => onChanges(found.map(changeOf))),
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
