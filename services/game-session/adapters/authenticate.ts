import type { Catalog } from '#libs/catalog/catalog.ts';
import { verify } from '#libs/contracts/api/game.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import { clientIp, networkOf } from '#libs/http/client-ip.ts';
import type { IpTrust } from '#libs/http/client-ip.ts';
import { headerOf } from '#libs/http/incoming-request.ts';
import type { IncomingRequest } from '#libs/http/incoming-request.ts';
import type { NoteSecurity } from '#libs/runtime/security-events.ts';
import type { Caller } from '../ports.ts';
import type { GameRateLimits } from './game-rate-limits.ts';

interface ApiKeyOptions {
  readonly catalog: Pick<Catalog, 'gameOfKey' | 'refusalOf'>;
  readonly trust: IpTrust;
  readonly rateLimits: Pick<GameRateLimits, 'wrongKey'>;
  readonly security: NoteSecurity;
}

/**
 * Spec part 5: the game that the X-Api-Key belongs to. Throws INVALID_API_KEY, and RATE_LIMITED after too many of these. The key is looked
 * at first, which costs less than any limit: who has a right one meets no limit for the failures of others (D-42).
 */
export const apiKeyCaller =
  ({ catalog, trust, rateLimits, security }: ApiKeyOptions) =>
  async (incoming: IncomingRequest): Promise<Caller> => {
    const key = headerOf(incoming, 'x-api-key');
    const game = catalog.gameOfKey(key);
    const { peer, rawHeaders, path } = incoming;
    if (game !== undefined) {
      const { keyId, gameId } = game;
      if (path === verify.path) security('authentication.succeeded', { kind: 'api-key', keyId, gameId });
      return game;
    }
    const found = clientIp(peer, rawHeaders, trust);
    const refusal = catalog.refusalOf(key);
    const addressClass = found.ok ? 'public' : found.reason;
    security('authentication.failed', { kind: 'api-key', ...refusal, addressClass });
    await rateLimits.wrongKey(networkOf(found.ok ? found.ip : peer), refusal.keyId);
    throw new Refusal('INVALID_API_KEY');
  };
