import { events } from '#libs/contracts/events.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { isPartitionOf } from '#libs/kafka/fetched-message.ts';
import { readBehind, withRecentLog } from '#libs/kafka/replay/recent-log.ts';
import type { LoggedEvent } from '#libs/kafka/replay/recent-log.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { Session } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/**
 * The log is read back at least half an hour (D-24): the mass-expiry guard lets the silent be for two expiry windows and an interval, and then
 * fifty a second go (D-25), so that the last of 60,000 has been silent for half an hour. For it a rebuild reads about fifteen heartbeats of each
 * session, and holds none but the newest.
 */
const minWindowMs = 1_800_000;
const ofSessions = [
  'game-session.started',
  'game-session.heartbeat',
  'game-session.exhausted',
  'game-session.recharged',
  'game-session.ending',
  'game-session.ended',
] as const;
/** A session that ends never plays again (I6). */
const finals = ['game-session.ending', 'game-session.ended'] as const;
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

type Logged = LoggedEvent<(typeof ofSessions)[number] | (typeof ofLaunchers)[number]>;

const sessionsIn = (found: readonly Logged[]): Session[] =>
  found.flatMap(({ data }) => ('session' in data ? [data.session] : []));

const isChange = (name: Logged['name']): name is keyof typeof changes => Object.hasOwn(changes, name);

const changesIn = (found: readonly Logged[]) =>
  found.flatMap(({ name, data }) => {
    if (!isChange(name) || 'session' in data || ('superseded' in data && data.superseded)) return [];
    const { pcId, launcherSessionId, atMs } = data;
    return [[pcId, { change: changes[name], launcherSessionId, atMs }] as const];
  });

/** Sessions and launchers of the recent log. It holds every session that plays, because each is on it at least once in an expiry window, and who is silent, until he ends. */
export const sessionsFromLog = (kafka: KafkaConnection, limits: Limits): Ports['recentLog'] => {
  const expiryMs = (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000;
  const windowMs = Math.max(minWindowMs, 3 * expiryMs);
  const launchersTopic = kafka.onCluster(events['launcher-session.started'].topic);
  return {
    open: (signal, use) =>
      withRecentLog({ kafka, names: [...ofSessions, ...ofLaunchers], finals, windowMs, signal }, (log) => {
        const isOfLaunchers = (part: string): boolean => isPartitionOf(launchersTopic, part);
        return use({
          sessionParts: log.parts.filter((part) => !isOfLaunchers(part)),
          launcherParts: log.parts.filter(isOfLaunchers),
          ends: log.ends,
          sessions: (part, onSessions) => log.latest([part], (found) => onSessions(sessionsIn(found))),
          launchers: (part, onChanges) => log.latest([part], (found) => onChanges(changesIn(found))),
        });
      }),
    behind: (ends, signal, onSessions) =>
      readBehind({ kafka, names: ofSessions, finals, signal }, ends, (found) =>
        onSessions(sessionsIn(found)),
      ),
  };
};
