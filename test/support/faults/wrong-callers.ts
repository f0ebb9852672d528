import { createHash, randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { npmSigned } from '../npm-signature.ts';
import { send } from '../raw.ts';
import { cafeOf, gameServerOf, newOtt, newPlayer } from '../suite-stack.ts';
import { patiently } from '../eventually.ts';
import type { Broken, Fault } from './fault.ts';

const times = (count: number, work: (at: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)));

/** A start that a launcher signs, as it claims, from where it says. */
const starter = ({ stack }: Broken) => {
  const { launcher } = stack.facts();
  const { keyId, secret, ip } = cafeOf(stack.facts(), 2);
  const url = `${launcher.url}/v1/session/start`;
  const body = JSON.stringify({ internal_ip: '192.168.0.17', hardware: { machine_id: randomUUID() } });
  return async (claims: object, address = ip) => {
    const signed = await npmSigned({ url, method: 'POST', body, keyId, secret, ...claims });
    return send({ method: 'POST', url, body, headers: { ...signed, 'X-Forwarded-For': address } });
  };
};

/** Launchers that are not let in. */
export const wrongLaunchers = (broken: Broken): Fault[] => {
  const start = starter(broken);
  const nonce = randomUUID();
  const anHourAgo = new Date(Date.now() - 3_600_000);
  return [
    {
      what: 'launchers sign with a key that is not theirs',
      alerts: ['GsbSignatureRefusals'],
      again: () => times(20, () => start({ secret: Buffer.from('not the key of this cafe') })),
    },
    {
      what: 'signed requests are sent a second time',
      alerts: ['GsbNonceReplays'],
      again: () => times(10, () => start({ nonce })),
    },
    {
      what: 'the clocks of launchers are an hour behind',
      alerts: ['GsbClockSkew'],
      again: () => times(15, () => start({ created: anHourAgo })),
    },
    {
      what: 'a load balancer puts its own address in the place of the launchers’',
      alerts: ['GsbClientAddresses'],
      again: () => times(20, () => start({}, '10.0.0.1')),
    },
  ];
};

/** Somebody stores a game without a name, in a folder whose changes are read every two seconds. */
export const wrongGame = ({ stack }: Broken): Fault => {
  const file = join(dirname(stack.path), 'catalog', 'nameless.yaml');
  return {
    what: 'a game of the catalogue is not valid',
    alerts: ['GsbCatalogRefused'],
    showsAfterMs: 2_000,
    begin: () =>
      writeFile(
        file,
        'apiVersion: gsb.dev/v1\nkind: Game\nmetadata: { name: nameless }\nspec: { keys: [] }\n',
      ),
    heal: () => rm(file),
  };
};

/** The only key of a game ends in three days. */
export const lapsingKey = ({ stack }: Broken): Fault => {
  const file = join(dirname(stack.path), 'catalog', 'lapsing.yaml');
  const notAfter = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const key = { id: 'lapsing1', sha256: createHash('sha256').update(randomUUID()).digest('hex'), notAfter };
  const spec = { displayName: 'Lapsing', keys: [key] };
  const game = { apiVersion: 'gsb.dev/v1', kind: 'Game', metadata: { name: 'lapsing' }, spec };
  return {
    what: 'the only key of a game ends in three days',
    alerts: ['GsbKeysRunOut'],
    showsAfterMs: 2_000,
    begin: () => writeFile(file, JSON.stringify(game)),
    heal: () => rm(file),
  };
};

/** Game servers that do what they should not. */
export const wrongGameServers = ({ stack }: Broken): Fault[] => {
  const facts = stack.facts();
  const url = `${facts.game.url}/v1/game/session/verify`;
  const headers = { 'Content-Type': 'application/json', 'X-Api-Key': 'nonsense' };
  let foreign = '';
  let used = '';
  return [
    {
      what: 'a game server has no valid API key',
      alerts: ['GsbInvalidApiKeys'],
      again: () => times(30, () => send({ method: 'POST', url, headers, body: '{}' })),
    },
    {
      what: 'a game presents the tokens of another one',
      alerts: ['GsbForeignTokens', 'GsbVerifyRefusals'],
      begin: async () => (foreign = (await patiently(() => newOtt(facts))).ott),
      again: () => times(10, () => gameServerOf(facts, 1).verify(foreign, 'player-1')),
    },
    {
      what: 'a token is presented again and again',
      alerts: ['GsbTokensUsedTwice'],
      begin: async () => (used = (await patiently(() => newPlayer(facts))).ott),
      again: () => times(40, () => gameServerOf(facts).verify(used, 'somebody else')),
    },
  ];
};
