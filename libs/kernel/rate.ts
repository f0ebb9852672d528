/** How often something may happen: so often at once, and all of it again within `windowSec` seconds, evenly. */
export interface Rate {
  readonly burst: number;
  readonly windowSec: number;
}

/** A rate with a name, by which callers hear of it. */
export interface RateLimit extends Rate {
  /** Lower-case words. */
  readonly name: string;
}

/** How long one token of a rate takes to come back, in ms. */
export const intervalMs = ({ burst, windowSec }: Rate): number => (windowSec * 1000) / burst;

/** The heartbeats of one session, a game's or a launcher's (D-42): ten at once, then one each twelfth of the heartbeat interval. */
export const heartbeatLimit = (heartbeatIntervalSec: number): RateLimit => ({
  name: 'heartbeats-session',
  burst: 10,
  windowSec: (heartbeatIntervalSec / 12) * 10,
});
