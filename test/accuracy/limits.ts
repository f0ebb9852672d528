/**
 * The limits of a run, scaled down so that minutes suffice. Silence must outlast the longest outage of a run (30 s without Kafka) and a
 * missed heartbeat, because shorter outages than D-11's get no amnesty.
 */
export const limits = {
  ottTtlSec: 20,
  heartbeatIntervalSec: 8,
  sessionExpirySec: 36,
  sessionExpirySlackSec: 2,
  launcherSilenceSec: 90,
  graceSec: 12,
} as const;

/**
 * The same, as environment variables of the services; and how often callers may try, scaled as the heartbeats are. A few heartbeats a second
 * are a crowd, so that some wait for the partner and some do not (D-62).
 */
export const limitSettings: Record<string, string> = {
  HEARTBEATS_AWAITED_PER_SEC: '8',
  RATE_STARTS_PER_ADDRESS: '22500/300',
  RATE_STARTS_PER_PC: '45/300',
  RATE_TOKENS_PER_PC: '300/60',
  RATE_GUESSES_PER_KEY: '4500/60',
  OTT_TTL_SEC: String(limits.ottTtlSec),
  HEARTBEAT_INTERVAL_SEC: String(limits.heartbeatIntervalSec),
  SESSION_EXPIRY_SEC: String(limits.sessionExpirySec),
  SESSION_EXPIRY_SLACK_SEC: String(limits.sessionExpirySlackSec),
  LAUNCHER_SILENCE_SEC: String(limits.launcherSilenceSec),
  GRACE_SEC: String(limits.graceSec),
};
