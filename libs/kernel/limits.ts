/** The values of spec 8; the slack, the lifetime of a launcher session and the two memory times are decisions (D-10, D-45, D-04). */
export const specLimits = {
  ottTtlSec: 60,
  heartbeatIntervalSec: 120,
  sessionExpirySec: 240,
  sessionExpirySlackSec: 5,
  launcherSilenceSec: 240,
  launcherSessionSec: 86_400,
  graceSec: 120,
  endedMemorySec: 3600,
  ottMemorySec: 86_400,
};

/** Every time limit of the product, in seconds (spec 8, D-04, D-10, D-45). */
export type Limits = Readonly<Record<keyof typeof specLimits, number>>;

interface Rule {
  readonly limit: keyof Limits;
  readonly other: keyof Limits;
  readonly reason: string;
  readonly holds: (limit: number, other: number) => boolean;
}

const longer = (limit: number, other: number) => limit > other;

const rules: readonly Rule[] = [
  {
    limit: 'sessionExpirySec',
    other: 'heartbeatIntervalSec',
    reason: 'must be longer than the heartbeat interval',
    holds: longer,
  },
  {
    limit: 'sessionExpirySlackSec',
    other: 'sessionExpirySec',
    reason: 'must be shorter than the session expiry',
    holds: (slack, expiry) => slack < expiry,
  },
  {
    limit: 'launcherSilenceSec',
    other: 'heartbeatIntervalSec',
    reason: 'must be longer than the heartbeat interval',
    holds: longer,
  },
  {
    limit: 'endedMemorySec',
    other: 'sessionExpirySec',
    reason: 'must be at least the session expiry',
    holds: (memory, expiry) => memory >= expiry,
  },
  {
    limit: 'launcherSessionSec',
    other: 'launcherSilenceSec',
    reason: 'must be longer than the silence of a launcher',
    holds: longer,
  },
  { limit: 'ottMemorySec', other: 'ottTtlSec', reason: 'must be longer than the token lives', holds: longer },
];

/** The limits that contradict another one, with the reason; limits that are missing are not compared. */
export const contradictions = (limits: Partial<Limits>): { limit: keyof Limits; reason: string }[] =>
  rules.filter(({ limit, other, holds }) => {
    const [one, two] = [limits[limit], limits[other]];
    return one !== undefined && two !== undefined && !holds(one, two);
  });
