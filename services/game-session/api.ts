import * as contract from '#libs/contracts/api/game.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Catalog } from '#libs/catalog/catalog.ts';
import type { IncomingRequest } from '#libs/http/incoming-request.ts';
import { route } from '#libs/http/route.ts';
import type { Caller, Ports } from './ports.ts';
import { end } from './usecases/end.ts';
import { heartbeat } from './usecases/heartbeat.ts';
import { verify } from './usecases/verify.ts';

/** Spec part 4. */
export const api = (ports: Ports) => [
  route(contract.verify, verify(ports)),
  route(contract.heartbeat, heartbeat(ports)),
  route(contract.end, end(ports)),
];

/** Spec part 5: the game that the X-Api-Key belongs to. */
export const apiKeyCaller =
  (catalog: Catalog) =>
  async ({ headers }: IncomingRequest): Promise<Caller> => {
    const key = headers['x-api-key'];
    const game = typeof key === 'string' ? catalog.gameOfKey(key) : undefined;
    if (game === undefined) throw new Refusal('INVALID_API_KEY');
    const { gameId, outagePolicy } = game;
    return { gameId, outagePolicy };
  };
