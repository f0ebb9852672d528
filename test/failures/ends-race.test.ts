import { eventually } from '../support/eventually.ts';
import { billingOf, newOtt, newPlayer, theStack } from '../support/suite-stack.ts';

type Player = Awaited<ReturnType<typeof newPlayer>>;
type Answer = Awaited<ReturnType<Player['server']['end'] | Player['server']['heartbeat']>>;

const rounds = Number(process.env['RACE_ROUNDS_HTTP'] ?? 20);
const stack = await theStack();

const word = (answer: Answer): string => (answer.ok ? answer.data.result : `${answer.status} ${answer.code}`);
const stopped = (id: string) =>
  eventually(
    () => billingOf(stack, id),
    (billing) => billing?.status === 'stopped',
    20_000,
  );
const all = <T>(round: () => Promise<T>) => Promise.all(Array.from({ length: rounds }, round));

describe(`over HTTP, ${rounds} rounds at once, each on a PC of its own`, () => {
  test('end races end: one SUCCESS, the other 409, one stop at the partner with the seconds that were answered', async () => {
    const results = await all(async () => {
      const player = await newPlayer(stack);
      const ends = await Promise.all([player.server.end(player.id), player.server.end(player.id)]);
      const sec = ends.flatMap((ended) => (ended.ok ? [ended.data.playDurationSec] : []));
      const billing = await stopped(player.id);
      return {
        words: ends.map(word).sort(),
        sec,
        stops: billing?.requests.stop,
        billed: billing?.play_duration_sec,
      };
    });

    for (const { words, sec, stops, billed } of results) {
      expect({ words, stops }).toEqual({ words: ['409 ALREADY_ENDED', 'SUCCESS'], stops: 1 });
      expect([billed]).toEqual(sec);
    }
  }, 60_000);

  test('end races heartbeat: the end is SUCCESS, the heartbeat hears OK or 410, and it ends once', async () => {
    const results = await all(async () => {
      const { server, id, user } = await newPlayer(stack);
      const [ended, beaten] = await Promise.all([server.end(id), server.heartbeat(id, user)]);
      const after = await server.heartbeat(id, user);
      return [word(ended), word(beaten), after.status, (await stopped(id))?.requests.stop];
    });

    for (const [ended, beaten, after, stops] of results) {
      expect([ended, after, stops]).toEqual(['SUCCESS', 410, 1]);
      expect(['OK', '410 SESSION_ENDING', '410 SESSION_ENDED']).toContain(beaten);
    }
  }, 60_000);

  test('a new game on the same PC races the heartbeat and the end of the first: one of both lives, the first is over and its billing stops once (I2)', async () => {
    const results = await all(async () => {
      const first = await newPlayer(stack);
      const { ott } = await newOtt(stack, { pc: first.pc });
      const [verified, beaten, ended] = await Promise.all([
        first.server.verify(ott, 'second'),
        first.server.heartbeat(first.id, first.user),
        first.server.end(first.id),
      ]);
      const second = verified.ok && verified.data.isValid ? verified.data.gameSessionId : '';
      const [old, young] = [
        await first.server.heartbeat(first.id, first.user),
        await first.server.heartbeat(second, 'second'),
      ];
      const stops = (await stopped(first.id))?.requests.stop;
      await first.server.end(second);
      return { beaten: word(beaten), ended: word(ended), old: word(old), young: word(young), stops };
    });

    for (const { beaten, ended, old, young, stops } of results) {
      expect({ young, stops }).toEqual({ young: 'OK', stops: 1 });
      const endedFirst = ended === 'SUCCESS';
      expect(['OK', 'SESSION_REPLACED', '410 SESSION_ENDING', '410 SESSION_ENDED']).toContain(beaten);
      expect(endedFirst ? 'SUCCESS' : '409 ALREADY_ENDED').toBe(ended);
      expect(endedFirst ? ['410 SESSION_ENDING', '410 SESSION_ENDED'] : ['SESSION_REPLACED']).toContain(old);
    }
  }, 60_000);
});
