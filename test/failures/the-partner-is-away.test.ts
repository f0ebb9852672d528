import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.ts';
import { refuseOnCredit } from '../support/outage-policy.ts';
import { useOwnStack, shortLimits } from '../support/own-stack.ts';
import { partnerOf } from '../support/partner.ts';
import type { Fault } from '../support/partner.ts';
import { beat } from '../support/seat-players.ts';
import { gameServerOf, newOtt, newPlayer } from '../support/suite-stack.ts';

const own = useOwnStack({ ...shortLimits, UNBILLED_CAP_SEC: '60', PARTNER_RETRIES_PER_SEC: '20' });

const setFault = (fault: Fault) => partnerOf(own.stack.facts()).setFault(fault);
const heal = () => partnerOf(own.stack.facts()).heal();

afterEach(heal);

describe('the partner is away when a player comes (D-12, D-26)', () => {
  test('a game that refuses play on credit: NOT_CHARGEABLE, the token lives on, and no billing stays', async () => {
    const facts = own.stack.facts();
    const game = 1;
    refuseOnCredit(own.dir, facts.game.games[game]!.game_id);
    await setFault({ operation: 'start', mode: 'error' });
    const server = gameServerOf(facts, game);

    const another = async () => server.verify((await newOtt(facts, { game })).ott, 'u1');

    const refused = await eventually(another, (answer) => answer.ok && !answer.data.isValid, 15_000);
    expect(refused).toMatchObject({ data: { isValid: false, reason: 'NOT_CHARGEABLE' } });
    await heal();
    const again = await eventually(another, (answer) => answer.ok && answer.data.isValid, 20_000);
    expect(again).toMatchObject({ data: { isValid: true } });
  }, 90_000);

  test('whoever leaves while it is away counts with what he played, and no longer', async () => {
    const facts = own.stack.facts();
    await partnerOf(facts).setFault({ operation: 'all', mode: 'error', status: 500 });
    const { server, id } = await newPlayer(facts);
    const redis = new Redis(facts.redis.url);
    const unbilled = async () => redis.hgetall(`gsb:ott:{${facts.cafes[0]?.cafe_id}}:unbilled-play`);
    await eventually(unbilled, (play) => id in play, 10_000);

    const ended = await server.end(id);

    const play = await eventually(unbilled, (found) => `over:${id}` in found, 20_000);
    const playedSec = ended.ok ? ended.data.playDurationSec : NaN;
    expect(play[`over:${id}`]).toBe(String(playedSec * 1000));
    expect(play).not.toHaveProperty(id);
    await heal();
    // The sum is of all who played at the cafe.
    const isConfirmed = (found: Record<string, string>) => !(`over:${id}` in found) && found['over'] === '0';
    await eventually(unbilled, isConfirmed, 30_000);
    redis.disconnect();
  }, 90_000);

  test('past the cap of unbilled play a cafe hears NOT_CHARGEABLE, and plays again when the partner is back', async () => {
    const facts = own.stack.facts();
    await setFault({ operation: 'start', mode: 'error' });
    const early = await Promise.all(Array.from({ length: 8 }, () => newPlayer(facts, { cafe: 1 })));
    expect(early).toHaveLength(8);
    const another = async () => {
      await Promise.all(early.map(beat));
      const { ott } = await newOtt(facts, { cafe: 1 });
      return gameServerOf(facts).verify(ott, 'u1');
    };

    const refused = await eventually(another, (answer) => answer.ok && !answer.data.isValid, 30_000);
    expect(refused).toMatchObject({ data: { isValid: false, reason: 'NOT_CHARGEABLE' } });
    await heal();
    expect(await eventually(another, (answer) => answer.ok && answer.data.isValid, 30_000)).toMatchObject({
      data: { isValid: true },
    });
  }, 90_000);
});
