const minute = 60;
const day = 86_400;

/** The services, in the order in which data goes through them. */
export const serviceNames = [
  'launcher-gateway',
  'ott',
  'billing-adapter',
  'game-session',
  'settlement',
] as const;
/** A service that writes or reads topics. */
export type ServiceName = (typeof serviceNames)[number];

/** One topic: its writers and readers, the field that is the message key (which keeps the order), and its retention in seconds. */
export interface Topic {
  readonly writers: readonly ServiceName[];
  readonly readers: readonly ServiceName[];
  readonly key: string;
  readonly partitions: number;
  readonly retentionSec: number;
  readonly summary: string;
}

/** The topics of the product. Topic creation, ACLs, the AsyncAPI document and the chart's topics.json are derived from it. */
export const topics = {
  'cafe-checks.v1': {
    writers: ['launcher-gateway'],
    readers: ['billing-adapter'],
    key: 'ip',
    partitions: 3,
    retentionSec: 10 * minute,
    summary: 'Requests to check which cafe an IP address belongs to.',
  },
  'cafe-verdicts.v1': {
    writers: ['billing-adapter'],
    readers: ['launcher-gateway'],
    key: 'ip',
    partitions: 3,
    retentionSec: 10 * minute,
    summary: "The partner's verdict on an IP address.",
  },
  'ott-requests.v1': {
    writers: ['launcher-gateway'],
    readers: ['ott'],
    key: 'pc_id',
    partitions: 3,
    retentionSec: 10 * minute,
    summary: 'Requests of launchers for a one-time token.',
  },
  'otts.v1': {
    writers: ['ott'],
    readers: ['launcher-gateway', 'billing-adapter', 'game-session'],
    key: 'token_hash',
    partitions: 3,
    retentionSec: day,
    summary: 'What happens to one-time tokens, where versions are about that know no topics for it.',
  },
  'ott-issuances.v1': {
    writers: ['ott'],
    readers: ['launcher-gateway'],
    key: 'token_hash',
    partitions: 3,
    retentionSec: day,
    summary: 'One-time tokens that were issued.',
  },
  'ott-claims.v1': {
    writers: ['ott'],
    readers: ['billing-adapter'],
    key: 'token_hash',
    partitions: 3,
    retentionSec: day,
    summary: 'One-time tokens that were claimed by a presentation, and claims that were given back.',
  },
  'ott-refusals.v1': {
    writers: ['ott'],
    readers: ['game-session'],
    key: 'token_hash',
    partitions: 3,
    retentionSec: day,
    summary: 'Presentations of one-time tokens that were refused.',
  },
  'ott-ends.v1': {
    writers: ['ott'],
    readers: [],
    key: 'token_hash',
    partitions: 3,
    retentionSec: day,
    summary: 'One-time tokens that were consumed, voided or expired.',
  },
  'ott-presentations.v1': {
    writers: ['game-session'],
    readers: ['ott'],
    key: 'token_hash',
    partitions: 3,
    retentionSec: day,
    summary: 'One-time tokens that game servers present.',
  },
  'billing.v1': {
    writers: ['billing-adapter'],
    readers: ['ott', 'game-session', 'settlement'],
    key: 'game_session_id',
    partitions: 3,
    retentionSec: 7 * day,
    summary:
      "What the partner's billing of a game session did: started, refused, confirmed, stopped; renewed, exhausted and unknown where versions are about that know no renewals.v1.",
  },
  'renewals.v1': {
    writers: ['billing-adapter'],
    readers: ['game-session'],
    key: 'game_session_id',
    partitions: 3,
    retentionSec: 60 * minute,
    summary: "The partner's answers to heartbeats: renewed, exhausted, unknown.",
  },
  'billing-retries.v1': {
    writers: ['billing-adapter'],
    readers: ['billing-adapter', 'ott'],
    key: 'game_session_id',
    partitions: 3,
    retentionSec: 7 * day,
    summary: 'Calls to the partner that must be retried, and when.',
  },
  'game-sessions.v1': {
    writers: ['game-session'],
    readers: ['billing-adapter', 'settlement'],
    key: 'game_session_id',
    partitions: 3,
    retentionSec: 7 * day,
    summary:
      'Game sessions that end, each whole; all else of them too where versions are about that know no game-session-changes.v1 or heartbeats.v1.',
  },
  'game-session-changes.v1': {
    writers: ['game-session'],
    readers: [],
    key: 'game_session_id',
    partitions: 3,
    retentionSec: 7 * day,
    summary: 'Game sessions that started, were exhausted or recharged, or have ended, each whole.',
  },
  'heartbeats.v1': {
    writers: ['game-session'],
    readers: ['billing-adapter'],
    key: 'game_session_id',
    partitions: 3,
    retentionSec: day,
    summary: 'Heartbeats of game sessions, each with the whole session.',
  },
  'launcher-sessions.v1': {
    writers: ['launcher-gateway'],
    readers: ['game-session'],
    key: 'pc_id',
    partitions: 3,
    retentionSec: day,
    summary: 'Launcher sessions that started, lapsed or ended.',
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
