import type { Catalog, LauncherKey } from '#libs/catalog/catalog.ts';
import type { splitKeyId } from '#libs/catalog/pc-keys.ts';
import { networkOf } from '#libs/http/client-ip.ts';
import { heartbeatLimit } from '#libs/kernel/rate.ts';
import type { Rate } from '#libs/kernel/rate.ts';
import type { Bucket, RateLimiter } from '#libs/rate-limits/rate-limiter.ts';
import type { RateLimitConfig } from '#libs/runtime/rate-limit-settings.ts';
import type { Ports, SignedCaller } from '../ports.ts';

const times = ({ burst, windowSec }: Rate, factor: number): Rate => ({ burst: burst * factor, windowSec });

const asksPerStart = 2;

/** Who bears it has signed with this key from this network and was right, within the last thirty days. No key has an empty id. */
const proven = (keyId: string, address: string) => `proven:${keyId}:${address}`;

/** So has some key of this cafe: also when it gets another one, its PCs are known by where they are. */
const provenCafe = (cafeId: string, address: string) => `proven-cafe:${cafeId}:${address}`;

/** The buckets that a signed start meets before its signature is looked at. */
const bucketsOfStarts = (config: RateLimitConfig, catalog: Pick<Catalog, 'launcherKey'>) => {
  /** Whoever knows a cafe's key id, or sits in the cafe, could lock all of it out otherwise, and its new key too. */
  const spared = (address: string, keyId = '') => {
    const cafeId = catalog.launcherKey(keyId)?.cafeId;
    return cafeId === undefined ? {} : { sparedBy: provenCafe(cafeId, address) };
  };
  const failuresOfAddress = (of: string, keyId: string | undefined): Bucket => ({
    ...{ limit: 'failed-starts-address', of, rate: config.RATE_FAILURES_PER_ADDRESS },
    ...spared(of, keyId),
  });
  const failuresOfKey = (address: string, keyId: string): Bucket => ({
    ...{ limit: 'failed-starts-key', of: keyId, rate: config.RATE_FAILURES_PER_KEY },
    sparedBy: proven(keyId, address),
  });
  const perAddress = (of: string, keyId: string | undefined): Bucket => ({
    ...{ limit: 'starts-address', of, rate: config.RATE_STARTS_PER_ADDRESS },
    ...spared(of, keyId),
  });
  return { failuresOfAddress, failuresOfKey, perAddress };
};

/** The buckets of a question to the partner. Each PC of a cafe may have an address of its own, which is asked about once a minute. */
const bucketsOfAsk = (
  config: RateLimitConfig,
  catalog: Pick<Catalog, 'launcherKey'>,
  { ip, cafeId, keyId }: Parameters<Ports['rateLimits']['ask']>[0],
): Bucket[] => {
  const pcs = catalog.launcherKey(keyId ?? '')?.pcs ?? config.CAFE_PCS;
  const perCafe = times(config.RATE_STARTS_PER_PC, asksPerStart * pcs);
  const perNetwork = times(config.RATE_STARTS_PER_ADDRESS, asksPerStart);
  const network = networkOf(ip);
  // Whoever has the cafe's key elsewhere cannot use up what its own PCs need.
  const spared = { sparedBy: provenCafe(cafeId, network) };
  return [
    { limit: 'asks-network', of: network, rate: perNetwork },
    { limit: 'asks-cafe', of: cafeId, isA: 'cafeId', rate: perCafe, ...spared },
  ];
};

/** A PC may start four times as often as its cafe has starts for each, and at most as often as half of its PCs together; one alone has them all. */
const startsOfPc = (perPc: Rate, pcs: number): Rate => times(perPc, Math.max(1, Math.min(4, pcs >> 1)));

/** The buckets of a start of a cafe, and of its PC where that is known. One that the PC may not make costs the cafe nothing. */
const bucketsOfCafe = (
  { RATE_STARTS_PER_PC: perPc, CAFE_PCS }: RateLimitConfig,
  { cafeId, pcs = CAFE_PCS }: Pick<SignedCaller, 'cafeId' | 'pcs'>,
  pcId: string | undefined,
): Bucket[] => {
  const ofCafe: Bucket = { limit: 'starts-cafe', of: cafeId, isA: 'cafeId', rate: times(perPc, pcs) };
  if (pcId === undefined) return [ofCafe];
  return [{ limit: 'starts-pc', of: pcId, isA: 'pcId', rate: startsOfPc(perPc, pcs) }, ofCafe];
};

const onlyLooks = (buckets: readonly Bucket[]): Bucket[] => buckets.map((each) => ({ ...each, looks: true }));

/** How often launchers may try (D-42). `address`: the network of the launcher, or of the peer where that is not known. */
export const launcherRateLimits = (
  limiter: RateLimiter,
  config: RateLimitConfig & { readonly HEARTBEAT_INTERVAL_SEC: number },
  catalog: Pick<Catalog, 'launcherKey'>,
) => {
  const { failuresOfAddress, failuresOfKey, perAddress } = bucketsOfStarts(config, catalog);
  const beats = heartbeatLimit(config.HEARTBEAT_INTERVAL_SEC);
  const forRequests: Ports['rateLimits'] = {
    ask: (asking) => limiter.take(bucketsOfAsk(config, catalog, asking)),
    move: (of) => limiter.take([{ limit: 'moves-pc', of, isA: 'pcId', rate: beats }]),
    provenStart: async (caller, pcId) => {
      const { cafeId, keyId, ip } = caller;
      // The key is proven even if its cafe has too many starts.
      const network = networkOf(ip);
      const marked = [proven(keyId, network), provenCafe(cafeId, network)].map((mark) => limiter.mark(mark));
      const taken = limiter.take(bucketsOfCafe(config, caller, pcId));
      await Promise.all([taken, ...marked]);
    },
    heartbeats: config.RATE_LIMITS === 'off' ? undefined : beats,
    token: (of) => limiter.take([{ limit: 'tokens-pc', of, isA: 'pcId', rate: config.RATE_TOKENS_PER_PC }]),
  };
  return {
    ...forRequests,
    /**
     * Before anything is computed for a signed start, or stored: not for a cafe either that has no starts left. What others failed with under
     * its key tells nothing of a signature that may be right.
     */
    signedStart: (address: string, { keyId, pcId }: Partial<ReturnType<typeof splitKeyId>> = {}) => {
      const key = catalog.launcherKey(keyId ?? '');
      const left = key === undefined ? [] : bucketsOfCafe(config, key, pcId);
      const looked = onlyLooks([failuresOfAddress(address, keyId), ...left]);
      return limiter.take([...looked, perAddress(address, keyId)]);
    },
    /** Before anything is stored for a start whose key says nothing of its PC. */
    sharedStart: (key: LauncherKey, pcId: string) =>
      limiter.take(onlyLooks(bucketsOfCafe(config, key, pcId))),
    /** The signature was not right. An address whose failures a key has no room for is charged all the same. */
    failedStart: async (address: string, keyId: string | undefined): Promise<void> => {
      await limiter.take([failuresOfAddress(address, keyId)]);
      if (keyId !== undefined) await limiter.take([failuresOfKey(address, keyId)]);
    },
    /** A session token that is not live. One that is live meets no limit for the failures of others. */
    wrongToken: (of: string) =>
      limiter.take([{ limit: 'wrong-tokens-address', of, rate: config.RATE_WRONG_TOKENS_PER_ADDRESS }]),
  };
};

/** The limits of launchers. */
export type LauncherRateLimits = ReturnType<typeof launcherRateLimits>;
