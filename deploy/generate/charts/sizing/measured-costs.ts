import type { ServiceName, TopicName } from '#libs/contracts/topics.ts';

/** Whose CPU was measured. */
export type Process = ServiceName | 'redis' | 'kafka' | 'postgres';
/** What callers do. */
export type Operation = 'heartbeat' | 'launcher heartbeat' | 'start' | 'token' | 'verify' | 'end';

/**
 * CPU milliseconds of one operation in each process, at saturation on two cores. Every heartbeat waits for the partner, as at cafes whose balance
 * does not last (D-62). Measured anew and written here, while `RATE_LIMITS=off HEARTBEATS_AWAITED_PER_SEC=100000 npm start` runs, by two commands:
 * `npm run bench -- --phase start,ott,verify,heartbeat,end --seconds 60 >lines.jsonl`
 * `node deploy/local/bootstrap.mjs deploy/generate/charts/sizing/from-bench.ts <lines.jsonl`
 */
export const cpuMs: Readonly<Record<Operation, Partial<Record<Process, number>>>> = {
  heartbeat: {
    'game-session': 0.26,
    'billing-adapter': 0.077,
    redis: 0.046,
    kafka: 0.03,
  },
  'launcher heartbeat': {
    'launcher-gateway': 0.25,
    redis: 0.046,
  },
  start: {
    'launcher-gateway': 0.5,
    'game-session': 0.13,
    redis: 0.083,
    kafka: 0.16,
  },
  token: {
    'launcher-gateway': 0.49,
    ott: 0.35,
    redis: 0.15,
    kafka: 0.13,
  },
  verify: {
    'launcher-gateway': 0.02,
    ott: 0.42,
    'game-session': 0.53,
    'billing-adapter': 0.27,
    settlement: 0.018,
    redis: 0.15,
    kafka: 0.15,
    postgres: 0.01,
  },
  end: {
    'launcher-gateway': 0.018,
    ott: 0.027,
    'game-session': 0.47,
    'billing-adapter': 0.31,
    settlement: 0.077,
    redis: 0.13,
    kafka: 0.073,
    postgres: 0.06,
  },
};

/** Cores of one process of each kind while nobody plays. */
export const idleCores: Readonly<Record<Process, number>> = {
  ...{ 'launcher-gateway': 0.013, ott: 0.01, 'game-session': 0.016, 'billing-adapter': 0.011 },
  ...{ settlement: 0.01, redis: 0.01, kafka: 0.038, postgres: 0 },
};

/**
 * Bytes of Redis where records are packed (`redis.packed`), with what the tables of keys and expiries take: a live session with its launcher,
 * token and nonce (`redis_bytes_per_session` of the bench); one that ended, for an hour, with the launcher that ended with it and the mark of its PC;
 * a token that was used, for a day. Of 10,000 each.
 */
export const redisBytes = { liveSession: 1_600, endedSession: 1_290, usedToken: 480 };

/** Bytes of the log for a heartbeat, and for a session with its start, token, verify and end: of one copy, in bundles, at 800 a second. */
export const logBytes: Readonly<
  Record<'heartbeat' | 'session', Readonly<Partial<Record<TopicName, number>>>>
> = {
  heartbeat: { 'heartbeats.v1': 1_063, 'renewals.v1': 572 },
  session: {
    ...{ 'ott-requests.v1': 1_288, 'ott-presentations.v1': 874, 'ott-issuances.v1': 1_087 },
    ...{ 'ott-claims.v1': 1_406, 'ott-ends.v1': 1_193, 'launcher-sessions.v1': 1_188 },
    ...{ 'game-sessions.v1': 997, 'game-session-changes.v1': 2_001, 'billing.v1': 1_493 },
  },
};

/** Bytes of Postgres for a row with its indexes, of 200,000: the entry of a session, and the partner's confirmation. */
export const rowBytes = { entry: 425, confirmation: 170 };

/**
 * CPU milliseconds of a rebuild for each session that plays, with the fifteen events of it that the log of half an hour has, and what a rebuild of
 * next to none takes: `npm run rebuild -- --sessions 100000 --events 15 --partitions 12`.
 */
export const rebuildMs = { replica: 0.19, redis: 0.045, alone: 2_000 };

/** Connections of a pod, idle and under load: to each broker of Kafka that it needs, to each primary of Redis. */
export const connections: Readonly<Record<'kafka' | 'redis', Partial<Record<ServiceName, number>>>> = {
  kafka: {
    ...{ 'launcher-gateway': 4, ott: 4, 'game-session': 4, 'billing-adapter': 7, settlement: 4 },
  },
  redis: { 'launcher-gateway': 2, ott: 1, 'game-session': 2 },
};
