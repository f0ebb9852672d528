import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { inTurn, limitedBy, statusesOf, times } from '../support/limits-met.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { send } from '../support/raw.ts';
import { scrape } from '../support/read-metrics.ts';
import { cafeOf, gameIdOf, newPc, newPlayer } from '../support/suite-stack.ts';
import { signedStart } from '../support/signed-start.ts';

const own = useOwnStack({
  RATE_STARTS_PER_ADDRESS: '30/600',
  RATE_STARTS_PER_PC: '1/600',
  CAFE_PCS: '12',
  RATE_TOKENS_PER_PC: '3/60',
  RATE_WRONG_TOKENS_PER_ADDRESS: '5/600',
  RATE_FAILURES_PER_ADDRESS: '5/600',
  RATE_FAILURES_PER_KEY: '8/600',
  RATE_GUESSES_PER_KEY: '5/600',
});
const facts = () => own.stack.facts();

let used = 0;
const unusedAddress = () => `198.51.100.${(used += 1)}`;

const start = (change?: Parameters<typeof signedStart>[1]) => signedStart(facts(), change);
const wrong = { secret: Buffer.alloc(32, 1) };

const forget = async (pattern: string): Promise<void> => {
  const redis = new Redis(own.stack.redis.url);
  await Promise.all((await redis.keys(pattern)).map((key) => redis.del(key)));
  redis.disconnect();
};

describe('starts of launchers (D-42)', () => {
  test('all PCs of a cafe may start at once; one more is told when, and other cafes start', async () => {
    const starts = await Promise.all(times(12).map(() => start()));

    expect(statusesOf(starts)).toEqual(times(12).map(() => 200));
    expect(await start()).toMatchObject(limitedBy('starts-cafe', 12, 600));
    expect(await start({ cafe: 1 })).toMatchObject({ status: 200 });
  });

  test('a launcher that starts for ever is limited by its PC, and leaves the others of its cafe their starts', async () => {
    const machineId = randomUUID();

    const again = await inTurn(310, () => start({ cafe: 2, machineId }));

    expect(statusesOf(again)).toEqual(times(310).map((index) => (index < 4 ? 200 : 429)));
    expect(again.at(-1)).toMatchObject(limitedBy('starts-pc', 4, 600));
    const others = await Promise.all(times(30).map(() => start({ cafe: 2 })));
    expect(statusesOf(others)).toEqual(times(30).map(() => 200));
  });

  test('fifty starts from an address that is no cafe’s ask the partner once, and are limited', async () => {
    const asked = async () => {
      const ofChecks = (await scrape(facts().processes)).filter(
        ({ name, labels }) =>
          name === 'gsb_partner_request_duration_seconds_count' && labels['operation'] === 'check',
      );
      return ofChecks.reduce((sum, { value }) => sum + value, 0);
    };
    const before = await asked();
    const from = unusedAddress();

    const together = await Promise.all(times(20).map(() => start({ cafe: 1, from })));
    const later = await inTurn(30, () => start({ cafe: 1, from }));

    expect(statusesOf(together)).toEqual(times(20).map(() => 403));
    expect(statusesOf(later)).toEqual(times(30).map((index) => (index < 10 ? 403 : 429)));
    expect(later.at(-1)).toMatchObject(limitedBy('starts-address', 30, 600));
    expect((await asked()) - before).toBe(1);
  });

  test('after five wrong signatures from an address a right one is not looked at either; another address is', async () => {
    const from = unusedAddress();

    const failed = await inTurn(6, () => start({ cafe: 1, from, ...wrong }));

    expect(statusesOf(failed)).toEqual([401, 401, 401, 401, 401, 429]);
    expect(failed.at(-1)).toMatchObject(limitedBy('failed-starts-address', 5, 600));
    expect(await start({ cafe: 1, from })).toMatchObject({ status: 429 });
    expect(await start({ cafe: 1 })).toMatchObject({ status: 200 });
  });

  test('whoever sits in a cafe and signs wrongly closes nothing for the others who do', async () => {
    const from = cafeOf(facts(), 1).ip;
    expect(await start({ cafe: 1, from })).toMatchObject({ status: 200 });

    const failed = await inTurn(40, () => start({ cafe: 1, from, ...wrong }));

    expect(statusesOf(failed)).toEqual(times(40).map(() => 401));
    expect(await start({ cafe: 1, from })).toMatchObject({ status: 200 });
  });

  test('all addresses of an IPv6 network of 64 bits are one', async () => {
    const failed = await inTurn(6, (at) => start({ from: `2001:db8:1:2:${at}::${at}`, keyId: 'nobody' }));

    expect(statusesOf(failed)).toEqual([401, 401, 401, 401, 401, 429]);
    expect(await start({ from: '2001:db8:1:3::1', keyId: 'nobody' })).toMatchObject({ status: 401 });
  });

  test('launchers whose clocks are wrong hear our time, however many they are', async () => {
    const answers = await inTurn(8, () => start({ cafe: 1, created: new Date(Date.now() - 3_600_000) }));

    expect(statusesOf(answers)).toEqual(times(8).map(() => 401));
  });
});

describe('tokens (D-42)', () => {
  test('a PC gets three at once, and others get theirs', async () => {
    const pcs = [newPc(facts(), 1), newPc(facts(), 1)] as const;
    for (const pc of pcs) await pc.start();

    const asked = await inTurn(4, () => pcs[0].requestOtt(gameIdOf(facts())));

    expect(statusesOf(asked)).toEqual([200, 200, 200, 429]);
    expect(await pcs[1].requestOtt(gameIdOf(facts()))).toMatchObject({ ok: true });
  });

  test('a launcher has ten heartbeats at once, and the one beside it has its own', async () => {
    const pcs = [newPc(facts(), 1), newPc(facts(), 1)] as const;
    for (const pc of pcs) await pc.start();
    const answers = await inTurn(12, () => pcs[0].heartbeat());

    expect(statusesOf(answers)).toEqual(times(12).map((index) => (index < 10 ? 200 : 429)));
    expect(await pcs[1].heartbeat()).toMatchObject({ ok: true });
    expect(await pcs[0].requestOtt(gameIdOf(facts()))).toMatchObject({ ok: true });
  });

  test('wrong session tokens are 401 and after too many 429; a right one from the same address is not refused', async () => {
    const { ip } = cafeOf(facts(), 1);
    const pc = newPc(facts(), 1);
    await pc.start();
    const ask = () =>
      send({
        method: 'PATCH',
        url: `${facts().launcher.url}/v1/session/heartbeat`,
        headers: { Authorization: `Bearer gsbl_0${'A'.repeat(43)}`, 'X-Forwarded-For': ip },
      });

    const answers = await inTurn(6, ask);

    expect(statusesOf(answers)).toEqual([401, 401, 401, 401, 401, 429]);
    expect(answers.at(-1)).toMatchObject(limitedBy('wrong-tokens-address', 5, 600));
    expect(await pc.heartbeat()).toMatchObject({ ok: true });
  });
});

const ofGame = (path: string, method: string, body: object, key?: string) =>
  send({
    method,
    url: `${facts().game.url}/v1/game/session/${path}`,
    headers: { 'X-Api-Key': key ?? facts().game.games[2]!.api_keys[0]!, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
const guess = (key?: string) => ofGame('verify', 'POST', { ott: randomUUID(), provider_user_id: 'u1' }, key);

describe('game servers (D-42)', () => {
  test('a key that presents tokens which are none may not present another; who has a right one comes in, and who plays goes on', async () => {
    const player = await newPlayer(facts(), { cafe: 1, game: 2 });

    const answers = await inTurn(6, () => guess());

    expect(statusesOf(answers)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(answers.at(-1)).toMatchObject(limitedBy('guesses-key', 5, 600));
    expect(await player.server.heartbeat(player.id, player.user)).toMatchObject({ data: { result: 'OK' } });
    expect(await player.server.end(player.id)).toMatchObject({ data: { result: 'SUCCESS' } });
    expect(await guess(facts().game.games[1]!.api_keys[0])).toMatchObject({ status: 200 });
    await newPlayer(facts(), { cafe: 2, game: 2 });
  });

  test('wrong API keys are 401 and after too many 429; a right one from the same address is not refused', async () => {
    const answers = await inTurn(6, () => guess('gsb_dev_wrong'));

    expect(statusesOf(answers)).toEqual([401, 401, 401, 401, 401, 429]);
    expect(answers.at(-1)).toMatchObject(limitedBy('wrong-keys-address', 5, 600));
    expect(await guess(facts().game.games[1]!.api_keys[0])).toMatchObject({ status: 200 });
  });

  test('a session has ten heartbeats at once, the others are refused and end nothing; another session’s are not', async () => {
    const seats = await Promise.all([
      newPlayer(facts(), { cafe: 1 }),
      newPlayer(facts(), { cafe: 1, game: 1 }),
    ]);
    const [one, other] = seats;
    const body = { game_session_id: one.id, provider_user_id: one.user };
    const beat = () => ofGame('heartbeat', 'PATCH', body, facts().game.games[0]!.api_keys[0]);

    const answers = await inTurn(14, beat);

    expect(statusesOf(answers)).toEqual(times(14).map((index) => (index < 10 ? 200 : 429)));
    expect(answers.at(-1)).toMatchObject(limitedBy('heartbeats-session', 10, 100));
    expect(await other.server.heartbeat(other.id, other.user)).toMatchObject({ data: { result: 'OK' } });
    expect(await one.server.end(one.id)).toMatchObject({ data: { result: 'SUCCESS' } });
  });
});

/** Nobody knows whose the first cafe's address is without asking, and no PC has started yet. */
const asInTheMorning = async () => {
  await forget('gsb:limit:*starts-cafe*');
  await forget(`gsb:cafe:last:{${cafeOf(facts(), 0).ip}}`);
};

describe('questions to the partner (D-42)', () => {
  test('a session that comes from ever other addresses is asked about ten times, and goes on at its own', async () => {
    const started = await signedStart(facts(), { cafe: 2 });
    const { data } = started.body as { data: { session_token: string } };
    const beatFrom = (ip: string) =>
      send({
        method: 'PATCH',
        url: `${facts().launcher.url}/v1/session/heartbeat`,
        headers: { Authorization: `Bearer ${data.session_token}`, 'X-Forwarded-For': ip },
      });

    const answers = await inTurn(12, (at) => beatFrom(`2001:db8:9:9::${at + 1}`));

    expect(statusesOf(answers)).toEqual(times(12).map((at) => (at < 10 ? 403 : 429)));
    expect(answers.at(-1)).toMatchObject(limitedBy('moves-pc', 10, 100));
    expect(await beatFrom(cafeOf(facts(), 2).ip)).toMatchObject({ status: 200 });
  });

  test('a cafe’s key is good for so many addresses as the cafe has PCs, twice in the time, wherever its starts were right before', async () => {
    await asInTheMorning();
    const from = (at: number) => (at < 20 ? `2001:db8:7:7::${at + 1}` : `198.51.101.${at}`);
    const answers = await inTurn(28, (at) => start({ from: from(at) }));

    expect(answers.at(-1)).toMatchObject(limitedBy('asks-cafe', 24, 600));
  });

  test('what its key was used up for elsewhere keeps no PC of the cafe from its own address (D-45)', async () => {
    await asInTheMorning();

    expect(await start({ from: '198.51.101.99' })).toMatchObject(limitedBy('asks-cafe', 24, 600));
    expect(await start()).toMatchObject({ status: 200 });
  });
});

test('every key of a limit leaves Redis by itself', async () => {
  const redis = new Redis(own.stack.redis.url);
  const keys = await redis.keys('gsb:limit:*');
  const lives = await Promise.all(keys.map((key) => redis.ttl(key)));
  redis.disconnect();
  expect(keys.length).toBeGreaterThan(10);
  expect(lives.filter((seconds) => seconds < 0)).toEqual([]);
});
