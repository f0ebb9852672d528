/** Every time limit of the product, in seconds (spec part 8, D-04, D-10). */
export interface Limits {
  readonly ottTtlSec: number;
  readonly heartbeatIntervalSec: number;
  readonly sessionExpirySec: number;
  readonly sessionExpirySlackSec: number;
  readonly launcherSilenceSec: number;
  readonly graceSec: number;
  readonly endedMemorySec: number;
  readonly ottMemorySec: number;
}

/** The values of spec part 8; the last two are ours (D-10, D-04). */
export const specLimits: Limits = {
  ottTtlSec: 60,
  heartbeatIntervalSec: 120,
  sessionExpirySec: 240,
  sessionExpirySlackSec: 5,
  launcherSilenceSec: 240,
  graceSec: 120,
  endedMemorySec: 3600,
  ottMemorySec: 86_400,
};

type Rule = readonly [keyof Limits, string, (limits: Limits) => boolean];

const rules: readonly Rule[] = [
  [
    'sessionExpirySec',
    'must be longer than the heartbeat interval',
    (l) => l.sessionExpirySec > l.heartbeatIntervalSec,
  ],
  [
    'sessionExpirySlackSec',
    'must be shorter than the session expiry',
    (l) => l.sessionExpirySlackSec < l.sessionExpirySec,
  ],
  [
    'launcherSilenceSec',
    'must be longer than the heartbeat interval',
    (l) => l.launcherSilenceSec > l.heartbeatIntervalSec,
  ],
  ['endedMemorySec', 'must be at least the session expiry', (l) => l.endedMemorySec >= l.sessionExpirySec],
  ['ottMemorySec', 'must be longer than the token lives', (l) => l.ottMemorySec > l.ottTtlSec],
];

/** The limits that contradict another one, with the reason; empty when they fit together. */
export const contradictions = (limits: Limits): { limit: keyof Limits; reason: string }[] =>
  rules.filter(([, , holds]) => !holds(limits)).map(([limit, reason]) => ({ limit, reason }));
