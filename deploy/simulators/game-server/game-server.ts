import * as contract from '#libs/contracts/api/game.ts';
import { bodyText, call } from '../http-client.ts';
import type { Fetch } from '../http-client.ts';

/** A game server with the integration of spec part 4 built in. */
export const createGameServer = ({ url, apiKey, via }: { url: string; apiKey: string; via?: Fetch }) => {
  const to = { url, via, headers: { 'X-Api-Key': apiKey } };
  return {
    verify: (ott: string, providerUserId: string) =>
      call(contract.verify, { ...to, body: bodyText({ ott, providerUserId }) }),
    heartbeat: (gameSessionId: string, providerUserId: string) =>
      call(contract.heartbeat, { ...to, body: bodyText({ gameSessionId, providerUserId }) }),
    end: (gameSessionId: string, playDurationSec?: number) =>
      call(contract.end, { ...to, body: bodyText({ gameSessionId, playDurationSec }) }),
    heartbeats: (sessions: readonly { gameSessionId: string; providerUserId: string }[]) =>
      call(contract.heartbeats, { ...to, body: bodyText({ sessions }) }),
    ends: (sessions: readonly { gameSessionId: string; playDurationSec?: number }[]) =>
      call(contract.ends, { ...to, body: bodyText({ sessions }) }),
  };
};

/** A game server that runs. */
export type GameServer = ReturnType<typeof createGameServer>;
