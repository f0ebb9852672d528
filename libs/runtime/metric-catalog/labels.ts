import { errors } from '#libs/contracts/errors.ts';
import { events } from '#libs/contracts/events.ts';
import { differenceCauses } from '#libs/contracts/api/settlement.ts';
import { serviceNames, topics } from '#libs/contracts/topics.ts';
import type { ServiceName, Topic } from '#libs/contracts/topics.ts';

/**
 * What a label may say: a list; a list that depends on the service; `games`, the ids of the catalog, known while the service runs; or a
 * pattern, where the set is bounded by something else. Never an id of a session, an address or a user.
 */
export type LabelValues = readonly string[] | ((service: string) => readonly string[]) | 'games' | RegExp;

/** What every metric has: its text, who emits it, and its labels. */
export interface Metric {
  readonly help: string;
  readonly emittedBy: readonly ServiceName[];
  readonly labels: Readonly<Record<string, LabelValues>>;
}

/** Groups of services that have something in common. */
export const services = {
  all: serviceNames,
  withHttp: ['launcher-gateway', 'game-session', 'settlement'],
  atTheEdge: ['launcher-gateway', 'game-session'],
  withRedis: ['launcher-gateway', 'ott', 'game-session'],
  oneByOne: ['launcher-gateway', 'ott', 'game-session', 'billing-adapter'],
} as const satisfies Record<string, readonly ServiceName[]>;

const catalog: readonly (readonly [string, Topic])[] = Object.entries(topics);
const topicsWhere = (is: (topic: Topic) => boolean): string[] =>
  catalog.filter(([, topic]) => is(topic)).map(([name]) => name);

const statuses = new Set<number>(Object.values(errors).map(({ status }) => status));

/** The sets of values that several metrics have in common. */
export const values = {
  outcome: ['ok', 'failed'],
  /** `denied`: the store answers, and refuses who asks. */
  storeOutcome: ['ok', 'failed', 'denied'],
  written: (service: string) => topicsWhere(({ writers }) => writers.some((name) => name === service)),
  read: (service: string) => topicsWhere(({ readers }) => readers.some((name) => name === service)),
  group: (service: string) => (service === 'billing-adapter' ? [service, `${service}-retries`] : [service]),
  event: [...Object.keys(events), 'unknown'],
  errorCode: Object.keys(errors),
  /** Statuses that may be failures of ours; 429 is one where callers are to come as often as they do. */
  failure: [...statuses].filter((status) => status === 429 || status >= 500).map(String),
  operation: ['check', 'start', 'renew', 'stop'],
  retriedOperation: ['start', 'stop'],
  cafeSize: ['up_to_20', 'up_to_50', 'up_to_100', 'up_to_200', 'over_200', 'unknown'],
  differenceCause: differenceCauses,
  // Bounded by the contracts, the Redis commands and the SQL files that the code names.
  route: /^(unmatched|(\/[a-z_:.\d]+)+)$/,
  method: /^[A-Z]{3,7}$/,
  status: /^\d{3}$/,
  command: /^[a-z]{2,20}$/,
  statement: /^(\d-)?[a-z][a-zA-Z]*(-[a-z]+)*(\.sql)?$/,
  partition: /^\d{1,4}$/,
} as const satisfies Record<string, LabelValues>;
