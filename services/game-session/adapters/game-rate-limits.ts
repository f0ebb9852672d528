import { heartbeatLimit } from '#libs/kernel/rate.ts';
import type { Bucket, RateLimiter } from '#libs/rate-limits/rate-limiter.ts';
import type { RateLimitConfig } from '#libs/runtime/rate-limit-settings.ts';
import type { Caller, Ports } from '../ports.ts';

const floodFactor = 10;

/** How often game servers may try (D-42). */
export const gameRateLimits = (
  limiter: RateLimiter,
  config: RateLimitConfig & { readonly HEARTBEAT_INTERVAL_SEC: number },
) => {
  const guesses = ({ keyId: of }: Caller): Bucket => ({
    limit: 'guesses-key',
    of,
    isA: 'keyId',
    rate: config.RATE_GUESSES_PER_KEY,
  });
  /** Anybody can hand a game server tokens that are none: only so many more of them keep its players out. */
  const flood = (caller: Caller): Bucket => {
    const { burst, windowSec } = config.RATE_GUESSES_PER_KEY;
    return { ...guesses(caller), limit: 'guesses-flood', rate: { burst: floodFactor * burst, windowSec } };
  };
  const forRequests: Ports['rateLimits'] = {
    verify: (caller) => limiter.take([{ ...flood(caller), looks: true }]),
    guess: async (caller) => {
      await limiter.take([flood(caller)]);
      await limiter.take([guesses(caller)]);
    },
  };
  return {
    ...forRequests,
    /** How often a session may have heartbeats; undefined: as often as it likes. */
    heartbeats: config.RATE_LIMITS === 'off' ? undefined : heartbeatLimit(config.HEARTBEAT_INTERVAL_SEC),
    /** An API key that is not valid, from an address; with the id of a key, where it has the form of one. */
    wrongKey: (address: string, keyId: string | undefined) =>
      limiter.take([
        { limit: 'wrong-keys-address', of: address, rate: config.RATE_FAILURES_PER_ADDRESS },
        ...(keyId === undefined
          ? []
          : [{ limit: 'wrong-keys-key', of: keyId, rate: config.RATE_FAILURES_PER_KEY }]),
      ]),
  };
};

/** The limits of game servers. */
export type GameRateLimits = ReturnType<typeof gameRateLimits>;
