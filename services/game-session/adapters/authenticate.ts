import type { Catalog } from '#libs/catalog/catalog.ts';
import { parseApiKey } from '#libs/catalog/api-key-format.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import { clientIp } from '#libs/http/client-ip.ts';
import type { IpTrust } from '#libs/http/client-ip.ts';
import { headerOf } from '#libs/http/incoming-request.ts';
import type { IncomingRequest } from '#libs/http/incoming-request.ts';
import type { Caller } from '../ports.ts';
import type { GameRateLimits } from './game-rate-limits.ts';

interface ApiKeyOptions {
  readonly catalog: Pick<Catalog, 'gameOfKey'>;
  readonly trust: IpTrust;
  readonly rateLimits: Pick<GameRateLimits, 'wrongKey'>;
}

/**
 * Spec part 5: the game that the X-Api-Key belongs to. Throws INVALID_API_KEY, and RATE_LIMITED after too many of these. The key is looked
 * at first, which costs less than any limit: who has a right one meets no limit for the failures of others (D-42).
 */
export const apiKeyCaller =
  ({ catalog, trust, rateLimits }: ApiKeyOptions) =>
  async (incoming: IncomingRequest): Promise<Caller> => {
    const key = headerOf(incoming, 'x-api-key');
    const game = catalog.gameOfKey(key);
    if (game !== undefined) return game;
    const { peer, rawHeaders } = incoming;
    const found = clientIp(peer, rawHeaders, trust);
    await rateLimits.wrongKey(found.ok ? found.ip : peer, parseApiKey(key)?.shortId);
    throw new Refusal('INVALID_API_KEY');
  };
