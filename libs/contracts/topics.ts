const minute = 60;
const day = 86_400;

/** A service that writes or reads topics. */
export type ServiceName = 'launcher-gateway' | 'ott' | 'game-session' | 'billing-adapter' | 'settlement';

/** One topic: who writes and reads it, by what its order is kept, and for how many seconds messages stay. */
export interface Topic {
  readonly writers: readonly ServiceName[];
  readonly readers: readonly ServiceName[];
  readonly key: string;
  readonly partitions: number;
  readonly retentionSec: number;
  readonly summary: string;
}

/** The topics of the product: the admin step, the ACLs, AsyncAPI and the README's table come from here. */
export const topics = {
  'cafe-checks.v1': {
    writers: ['launcher-gateway'],
    readers: ['billing-adapter'],
    key: 'ip',
    partitions: 3,
    retentionSec: 10 * minute,
    summary: 'Whose address is this? Asked when a launcher starts a session.',
  },
  'cafe-verdicts.v1': {
    writers: ['billing-adapter'],
    readers: ['launcher-gateway'],
    key: 'ip',
    partitions: 3,
    retentionSec: 10 * minute,
    summary: "The partner's verdict on an address.",
  },
  'ott-requests.v1': {
    writers: ['launcher-gateway'],
    readers: ['ott'],
    key: 'pc_id',
    partitions: 3,
    retentionSec: 10 * minute,
    summary: 'A launcher asks for a one-time token.',
  },
  'otts.v1': {
    writers: ['ott'],
    readers: ['launcher-gateway', 'billing-adapter', 'game-session'],
    key: 'token_hash',
    partitions: 3,
    retentionSec: day,
    summary: 'What became of a one-time token.',
  },
  'ott-presentations.v1': {
    writers: ['game-session'],
    readers: ['ott'],
    key: 'token_hash',
    partitions: 3,
    retentionSec: day,
    summary: 'A game server presents a token.',
  },
  'billing.v1': {
    writers: ['billing-adapter'],
    readers: ['ott', 'game-session', 'settlement'],
    key: 'game_session_id',
    partitions: 3,
    retentionSec: 7 * day,
    summary: "What the partner's billing of a game session did.",
  },
  'billing-retries.v1': {
    writers: ['billing-adapter'],
    readers: ['billing-adapter'],
    key: 'game_session_id',
    partitions: 3,
    retentionSec: 7 * day,
    summary: 'Calls to the partner that must be made again, and when.',
  },
  'game-sessions.v1': {
    writers: ['game-session'],
    readers: ['billing-adapter', 'settlement'],
    key: 'game_session_id',
    partitions: 3,
    retentionSec: 7 * day,
    summary: 'Every change of a game session, whole.',
  },
  'launcher-sessions.v1': {
    writers: ['launcher-gateway'],
    readers: ['game-session'],
    key: 'pc_id',
    partitions: 3,
    retentionSec: day,
    summary: 'A launcher session began, lapsed or ended.',
  },
  'dead-letters.v1': {
    writers: ['launcher-gateway', 'ott', 'game-session', 'billing-adapter', 'settlement'],
    readers: [],
    key: 'topic',
    partitions: 1,
    retentionSec: 30 * day,
    summary: 'Messages that could not be read or failed for good, with the reason.',
  },
} as const satisfies Record<string, Topic>;

/** The name of a topic, with its version. */
export type TopicName = keyof typeof topics;
