import { randomUUID } from 'node:crypto';
import { connectKafka } from '#libs/kafka/connection.ts';
import { republish } from '#libs/kafka/replay/republish.ts';
import { createLog } from '#libs/runtime/log.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { eventually, patiently } from './eventually.ts';
import { npmSigned } from './npm-signature.ts';
import { partnerOf } from './partner.ts';
import { send } from './raw.ts';
import { askSettlement } from './settlement.ts';
import { cafeOf, gameIdOf, gameServerOf, newOtt, newPc, newPlayer } from './suite-stack.ts';

const json = { 'Content-Type': 'application/json' };
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const seat = (stack: StackFacts, at: Parameters<typeof newPlayer>[1] = {}) =>
  patiently(() => newPlayer(stack, at));

/** Tokens that are used twice, too late, for another game, voided, or unknown. */
const wrongTokens = async (stack: StackFacts): Promise<void> => {
  const { pc, ott } = await patiently(() => newOtt(stack));
  await gameServerOf(stack, 1).verify(ott, 'player-1');
  await pc.requestOtt(gameIdOf(stack));
  await pc.requestOtt('no-such-game');
  const played = await seat(stack);
  await played.server.verify(played.ott, 'player-1');
  await played.server.verify(randomUUID(), 'player-1');
  await played.server.heartbeats([{ gameSessionId: played.id, providerUserId: played.user }]);
  await played.server.end(played.id, 1);
  await played.server.end(played.id, 1);
};

/** Launchers whose signature or address is not accepted. */
const wrongLaunchers = async (stack: StackFacts): Promise<void> => {
  const { keyId, secret, ip } = cafeOf(stack, 0);
  const url = `${stack.launcher.url}/v1/session/start`;
  const body = JSON.stringify({ internal_ip: '192.168.0.17', hardware: { machine_id: randomUUID() } });
  const start = async (claims: object, address = ip) => {
    const signed = await npmSigned({ url, method: 'POST', body, keyId, secret, ...claims });
    await send({ method: 'POST', url, body, headers: { ...signed, 'X-Forwarded-For': address } });
  };
  const nonce = randomUUID();
  for (const claims of [{}, { nonce }, { nonce }, { keyId: 'nobody.k1' }, { secret: Buffer.from('x') }])
    await start(claims);
  await start({ created: new Date(Date.now() - 3_600_000) });
  for (const address of ['malformed', '10.0.0.1', '198.51.100.7']) await start({}, address);
  await send({ method: 'POST', url, body, headers: json });
};

/** Requests that no use case sees. */
const wrongRequests = async (stack: StackFacts): Promise<void> => {
  const url = `${stack.game.url}/v1/game/session/verify`;
  await send({ method: 'POST', url, headers: { ...json, 'X-Api-Key': 'nonsense' }, body: '{}' });
  await send({ method: 'GET', url: `${stack.game.url}/nowhere` });
  await askSettlement(stack, `sessions/gs_${randomUUID()}`);
};

/** The balance of a cafe is used up, topped up, and used up again. */
const exhaustion = async (stack: StackFacts): Promise<void> => {
  const partner = partnerOf(stack);
  const { server, id, user } = await seat(stack, { cafe: 1 });
  const result = async () => {
    const answer = await server.heartbeat(id, user);
    return answer.ok ? answer.data.result : answer.code;
  };
  await partner.setBalance(1, 0);
  await eventually(result, (seen) => seen === 'CHARGE_EXHAUSTED');
  const { ott } = await patiently(() => newOtt(stack, { cafe: 1 }));
  await server.verify(ott, user);
  await partner.setBalance(1, 1_000_000);
  await eventually(result, (seen) => seen === 'OK');
  await server.end(id, 1);
};

/** A player who is replaced, and one whose launcher ends. */
const changes = async (stack: StackFacts): Promise<void> => {
  const first = await seat(stack);
  await seat(stack, { pc: first.pc, game: 1 });
  await first.server.heartbeat(first.id, first.user);
  await first.pc.end();
};

/** The partner does not answer: play begins pending, ends are retried, circuits open; then it does again. */
const partnerOutage = async (stack: StackFacts): Promise<void> => {
  const partner = partnerOf(stack);
  const before = await seat(stack);
  await partner.setFault({ operation: 'all', mode: 'error', status: 500 });
  for (let at = 0; at < 6; at += 1) {
    await before.server.heartbeat(before.id, before.user);
    await wait(500);
  }
  const pending = await newPlayer(stack).catch(() => undefined);
  await before.server.end(before.id, 1);
  await newPlayer(stack, { cafe: 2 }).catch(() => undefined);
  // After ten seconds the end is published again (D-06).
  for (let sec = 0; sec < 12; sec += 1) {
    await pending?.pc.heartbeat();
    await pending?.server.heartbeat(pending.id, pending.user);
    await wait(1_000);
  }
  await partner.heal();
  await pending?.server.heartbeat(pending.id, pending.user);
};

const poison = async (stack: StackFacts): Promise<void> => {
  const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);
  const kafka = connectKafka({ brokers: stack.kafka.brokers, clientId: 'test', log });
  const letter = { key: 'poison', value: Buffer.from('{"this is": "poison'), headers: { marked: 'poison' } };
  await republish(kafka, [{ topic: 'ott-requests.v1', ...letter }]);
};

/** Somebody who still plays when his session has expired. `expiryMs`: when it has. */
const lateHeartbeat = async (stack: StackFacts, expiryMs: number): Promise<void> => {
  const { server, id, user } = await seat(stack);
  await wait(expiryMs);
  await eventually(
    () => server.heartbeat(id, user),
    ({ ok }) => !ok,
  );
  await server.heartbeat(id, user);
};

/** A launcher that starts and falls silent, with a token that nobody presents. */
const silentLauncher = async (stack: StackFacts): Promise<void> => {
  const pc = newPc(stack);
  await pc.start();
  await pc.heartbeat();
  await pc.requestOtt(gameIdOf(stack));
};

/** Plays what the product measures: right visits, wrong ones, and faults. Needs short limits and a stack of its own. */
export const playWithFaults = async (stack: StackFacts, expiryMs: number): Promise<void> => {
  const vanishes = Promise.all([silentLauncher(stack), lateHeartbeat(stack, expiryMs)]);
  await Promise.all([wrongTokens(stack), wrongLaunchers(stack), wrongRequests(stack), changes(stack)]);
  await Promise.all([exhaustion(stack), poison(stack)]);
  await vanishes;
  await partnerOutage(stack);
};
