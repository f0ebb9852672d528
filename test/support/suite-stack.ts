import { randomUUID } from 'node:crypto';
import { createGameServer } from '#simulators/game-server/game-server.ts';
import { createLauncher } from '#simulators/launcher/launcher.ts';
import { readPartnerLedger } from '#simulators/read-ledgers.ts';
import { readStack } from '#simulators/stack-file.ts';
import type { StackFacts } from '#simulators/stack-file.ts';

/** The limits of the suite's stack, in seconds. */
export const limits = { ottTtl: 4, heartbeat: 3, expiry: 8, slack: 1, launcherSilence: 20, grace: 5 };

/** The stack that the suite plays on. */
export const theStack = (): Promise<StackFacts> => readStack(process.env['GSB_STACK'] ?? '');

/** A cafe by its place in the catalog, as a launcher needs it. */
export const cafeOf = (stack: StackFacts, index: number) => {
  const { cafe_id: cafeId, key_id: keyId, secret, ips } = stack.cafes[index]!;
  return { cafeId, keyId, secret: Buffer.from(secret, 'base64'), ip: ips[0]! };
};

/** A PC nobody has used yet, at a cafe. */
export const newPc = (stack: StackFacts, cafe = 0) => {
  const { ip, ...keys } = cafeOf(stack, cafe);
  return createLauncher({ url: stack.launcher.url, cafe: keys, clientIp: ip, machineId: randomUUID() });
};

/** The game server of a game. */
export const gameServerOf = (stack: StackFacts, game = 0) =>
  createGameServer({ url: stack.game.url, apiKey: stack.game.games[game]!.api_keys[0]! });

/** The id of a game by its place. */
export const gameIdOf = (stack: StackFacts, game = 0) => stack.game.games[game]!.game_id;

/** A token for a game, on a PC that has just sat down. */
export const newOtt = async (stack: StackFacts, { cafe = 0, game = 0, pc = newPc(stack, cafe) } = {}) => {
  const started = await pc.start();
  const asked = await pc.requestOtt(gameIdOf(stack, game));
  if (!started.ok || !asked.ok) throw new Error(`no token: ${JSON.stringify([started, asked])}`);
  return { pc, ott: asked.data.ott };
};

/** A player in a game: token, verify, session. */
export const newPlayer = async (
  stack: StackFacts,
  seat: Parameters<typeof newOtt>[1] & { user?: string } = {},
) => {
  const { pc, ott } = await newOtt(stack, seat);
  const server = gameServerOf(stack, seat?.game);
  const user = seat.user ?? `player-${randomUUID()}`;
  const verified = await server.verify(ott, user);
  if (!verified.ok || !verified.data.isValid) throw new Error(`not verified: ${JSON.stringify(verified)}`);
  return { pc, ott, server, user, id: verified.data.gameSessionId };
};

/** Every billing in the partner's ledger. */
export const billings = (stack: StackFacts) => readPartnerLedger(stack.partner.url);

/** The billing of a game session in the partner's ledger. */
export const billingOf = async (stack: StackFacts, gameSessionId: string) =>
  (await billings(stack)).find(({ billing_id }) => billing_id === gameSessionId);
