import type { ServiceName } from '#libs/contracts/topics.ts';

/** Whose CPU was measured. */
export type Process = ServiceName | 'redis' | 'kafka' | 'postgres';
/** What callers do. */
export type Operation = 'heartbeat' | 'launcher heartbeat' | 'start' | 'token' | 'verify' | 'end';

/**
 * CPU milliseconds of one operation in each process, by `npm run bench` at saturation on two cores. A launcher's heartbeat was not measured by
 * itself: it is taken to cost its gateway and Redis what that of a game session costs game-session and Redis, and the log nothing.
 */
export const cpuMs: Readonly<Record<Operation, Partial<Record<Process, number>>>> = {
  heartbeat: {
    ...{ 'launcher-gateway': 0.007, ott: 0.018, 'game-session': 0.329 },
    ...{ 'billing-adapter': 0.105, settlement: 0.061, redis: 0.066, kafka: 0.12 },
  },
  'launcher heartbeat': { 'launcher-gateway': 0.329, redis: 0.066 },
  start: { 'launcher-gateway': 0.68, 'game-session': 0.28, redis: 0.16, kafka: 0.35 },
  token: {
    ...{
      'launcher-gateway': 0.64,
      ott: 0.41,
      'game-session': 0.09,
      'billing-adapter': 0.09,
      settlement: 0.09,
    },
    ...{ redis: 0.26, kafka: 0.34 },
  },
  verify: {
    ...{
      'launcher-gateway': 0.13,
      ott: 0.68,
      'game-session': 1.16,
      'billing-adapter': 0.76,
      settlement: 0.25,
    },
    ...{ redis: 0.37, kafka: 0.75 },
  },
  end: {
    ...{ 'game-session': 0.97, 'billing-adapter': 0.46, settlement: 0.17 },
    ...{ redis: 0.15, kafka: 0.35, postgres: 0.08 },
  },
};

/** Cores of the whole stack when nobody plays. */
export const idleCores = 0.15;

/** Bytes of Redis: all keys of a live session with its launcher and token, a session that ended in the last hour, a token that is remembered for a day. */
export const redisBytes = { liveSession: 4_819, endedSession: 1_000, usedToken: 1_200 };

/** Rows of the ledger for each session: its entry, and the partner's confirmation. */
export const rowsOfASession = 2;
