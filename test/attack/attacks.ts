import { randomBytes, randomUUID } from 'node:crypto';
import { createPcs } from '../bench/pcs.ts';
import { gameRequests, launcherRequests } from '../bench/requests.ts';
import type { Driven } from '../bench/the-stack.ts';
import { flood } from './flood.ts';
import { holdSockets } from './hold-sockets.ts';

/** What came back while an attack ran: how many requests or connections there were, and how they ended. */
export interface Tally {
  readonly sent: number;
  /** By status, or by why there was none. */
  readonly answers: Readonly<Record<string, number>>;
}

/** An attack that runs; `stop` ends it and resolves to what came back. */
export interface Running {
  stop(): Promise<Tally>;
}

/** One way to attack the product, bounded in rate or in connections. */
export interface Attack {
  readonly name: string;
  readonly begin: () => Running;
}

const json = 'Content-Type: application/json\r\n';
/** Addresses of a network for examples, as many as a botnet's worth of failures by address. */
const addresses = Array.from({ length: 250 }, (_, index) => `198.51.100.${index + 1}`);
const inTurn = <T>(all: readonly T[]) => {
  let at = 0;
  return (): T => all[(at += 1) % all.length]!;
};

const launcherAttacks = ({ launcher, cafes, game }: Driven, ratePerSec: number): Attack[] => {
  const { url } = launcher;
  const { host } = new URL(url);
  const requests = launcherRequests(host);
  const [cafe] = cafes;
  if (cafe === undefined) throw new Error('the stack has no cafe');
  const address = inTurn(addresses);
  const posing = (change: Partial<Driven['cafes'][number]>) =>
    createPcs([{ ...cafe, ...change, ips: [address()] }]).newPc();
  const signed = (name: string, change: () => Parameters<typeof posing>[0]): Attack => ({
    name,
    begin: () => flood({ url, ratePerSec, text: () => requests.start(posing(change())) }),
  });
  const noToken = () => ({ ...posing({}), sessionToken: `gsbl_0${randomBytes(32).toString('base64url')}` });
  const gameId = game.games[0]?.game_id ?? '';
  return [
    signed('starts with wrong signatures of a known key', () => ({
      secret: randomBytes(32).toString('base64'),
    })),
    signed('starts of unknown keys', () => ({ key_id: `nobody.${randomUUID()}` })),
    signed('starts with a stolen key from foreign addresses', () => ({})),
    {
      name: 'tokens asked for with made-up session tokens',
      begin: () => flood({ url, ratePerSec, text: () => requests.ott(noToken(), gameId) }),
    },
  ];
};

const gameAttacks = ({ game, cafes }: Driven, ratePerSec: number): Attack[] => {
  const { url } = game;
  const { host } = new URL(url);
  const stolen = game.games[1]?.api_keys[0] ?? '';
  const somebody = () => ({ ...createPcs(cafes).newPc(), ott: randomUUID() });
  const guess = (apiKey: () => string) => () => gameRequests(host, apiKey()).verify(somebody());
  const wrongKey = () => `gsb_dev_${randomBytes(4).toString('hex')}_${'0'.repeat(43)}_00000000`;
  const big = 'x'.repeat(1_000_000);
  const deep = '['.repeat(8_000) + ']'.repeat(8_000);
  const head = `POST /v1/game/session/verify HTTP/1.1\r\nHost: ${host}\r\nX-Api-Key: ${stolen}\r\n${json}`;
  const withBody = (body: string) => `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  const oversized = inTurn([
    withBody(big),
    withBody(deep),
    `${head}X-Long: ${big.slice(0, 100_000)}\r\n\r\n`,
  ]);
  return [
    {
      name: 'guesses at tokens with a stolen API key',
      begin: () => flood({ url, ratePerSec, text: guess(() => stolen) }),
    },
    { name: 'guesses at API keys', begin: () => flood({ url, ratePerSec, text: guess(wrongKey) }) },
    {
      name: 'oversized bodies, headers and nesting',
      begin: () => flood({ url, ratePerSec: ratePerSec / 4, text: oversized }),
    },
    {
      name: 'slow bodies',
      begin: () =>
        holdSockets({
          url,
          count: 500,
          perSec: ratePerSec,
          first: `${head}Content-Length: 10000\r\n\r\n{`,
          drip: ' ',
        }),
    },
    {
      name: 'half-open requests',
      begin: () => holdSockets({ url, count: 1_000, perSec: ratePerSec, first: head.slice(0, 40) }),
    },
    {
      name: 'connections that are reset',
      begin: () => holdSockets({ url, count: 200, perSec: ratePerSec, first: head, resets: true }),
    },
  ];
};

/** Every attack. `ratePerSec`: of those that send requests. */
export const attacksOn = (stack: Driven, ratePerSec: number): Attack[] => [
  ...launcherAttacks(stack, ratePerSec),
  ...gameAttacks(stack, ratePerSec),
];
