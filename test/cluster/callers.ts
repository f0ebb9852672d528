import { randomUUID } from 'node:crypto';
import { Agent, fetch as undiciFetch } from 'undici';
import { createGameServer } from '#simulators/game-server/game-server.ts';
import type { Fetch } from '#simulators/http-client.ts';
import { createLauncher } from '#simulators/launcher/launcher.ts';
import type { Place } from './place.ts';
import type { Stores } from './stores.ts';

/** The two APIs, as the world knows them: by the Ingresses of the dev values, and by the routes of the Gateway API that the test adds. */
export const hosts = { launcher: 'http://launcher.cluster.test', game: 'http://game.cluster.test' };
export const gatewayHosts = {
  launcher: 'http://launcher.gateway.test',
  game: 'http://game.gateway.test',
};

type Found = (error: null, address: string | { address: string; family: 4 }[], family?: 4) => void;

/** Whatever the name, this address: DNS is not what is tested. */
const alwaysAt =
  (address: string) =>
  (_host: string, { all }: { all?: boolean }, found: Found) => {
    if (all === true) found(null, [{ address, family: 4 }]);
    else found(null, address, 4);
  };

/** Requests that reach the ingress controller at `edge`, from `localAddress` unless that is empty. */
const fetchFrom = (edge: string, localAddress: string): Fetch => {
  const connect = { lookup: alwaysAt(edge) } as never;
  const dispatcher = new Agent({ connect, connections: 64, ...(localAddress && { localAddress }) });
  return ((input: string, init: object) => undiciFetch(input, { ...init, dispatcher })) as unknown as Fetch;
};

/** Launchers and game servers outside the cluster, who speak through its ingress controller. */
export const createCallers = ({ games, cafes }: Stores, place: Place) => {
  const ways = new Map<string, Fetch>();
  const via = (address: string): Fetch => {
    const way = ways.get(address) ?? fetchFrom(place.GSB_EDGE_ADDRESS, address);
    ways.set(address, way);
    return way;
  };
  const cafeAt = (index: number) => {
    const { cafe_id: cafeId, key_id: keyId, secret, ips } = cafes[index % cafes.length]!;
    return { cafe: { cafeId, keyId, secret: Buffer.from(secret, 'base64') }, ip: ips[0]! };
  };
  return {
    via,
    cafeAt,
    gameId: (index: number) => games[index]!.game_id,
    apiKey: (index: number) => games[index]!.api_keys[0]!,
    /** A PC at a cafe; `from` is where its requests come from, `says` what its forged header says. */
    launcher: (
      index: number,
      { from = cafeAt(index).ip, says = '198.51.100.7', url = hosts.launcher } = {},
    ) =>
      createLauncher({
        ...{ url, cafe: cafeAt(index).cafe, clientIp: says, machineId: randomUUID() },
        via: via(from),
      }),
    server: (index: number, apiKey = games[index]!.api_keys[0]!) =>
      createGameServer({ url: hosts.game, apiKey, via: via('') }),
  };
};

/** Who calls. */
export type Callers = ReturnType<typeof createCallers>;
