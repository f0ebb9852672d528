import type { EventName } from '#libs/contracts/events.ts';
import type { Publisher } from '#libs/kafka/producer/publisher.ts';
import { createLog } from '#libs/runtime/log.ts';
import { logEvents } from '#libs/wiring/log-events.ts';

/** What is in the log when a publisher has published these data as an event of a name. */
const linesOf = async (name: EventName, all: readonly unknown[]): Promise<Record<string, unknown>[]> => {
  const lines: string[] = [];
  const log = createLog({ service: 'ott', instance: 'i', level: 'info' }, (line) => lines.push(line));
  const done = async () => undefined;
  const publisher = logEvents({ publish: done, publishAll: done } as unknown as Publisher, log);
  const [first, ...others] = all;
  await publisher.publish(name, first as never);
  await publisher.publishAll(name, others.map((data) => ({ data })) as never);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
};

describe('a line for each change of state that the log has taken', () => {
  test('has the ids and the end of a session, also what is null, and no player', async () => {
    const session = { gameSessionId: 'gs_1', cafeId: 'c', endReason: null, providerUserId: 'p', version: 2 };

    const [line, second] = await linesOf('game-session.ended', [{ session }, { session }]);

    const expected = { event: 'game-session.ended', game_session_id: 'gs_1', cafe_id: 'c', end_reason: null };
    expect(line).toMatchObject(expected);
    expect(second).toMatchObject(expected);
    expect(Object.keys(line ?? {})).toEqual([
      ...['level', 'time', 'service', 'instance', 'event', 'cafe_id', 'end_reason', 'game_session_id', 'msg'],
    ]);
  });

  test('says of a token what it says itself, and of its claim what only that says', async () => {
    const claim = { gameSessionId: 'gs_1', cafeId: 'another' };

    const [line] = await linesOf('ott.consumed', [{ ott: { cafeId: 'c', state: 'consumed', claim } }]);

    expect(line).toMatchObject({ cafe_id: 'c', state: 'consumed', game_session_id: 'gs_1' });
  });

  test('of a name that stands in several places the outermost counts', async () => {
    const claim = { gameSessionId: 'gs_claim' };
    const order = { gameSessionId: 'gs_order', cafeId: 'c' };

    const [refused] = await linesOf('billing.refused', [{ reason: 'exhausted', order }]);
    const [givenBack] = await linesOf('ott.given-back', [{ gameSessionId: 'gs_own', ott: { claim } }]);
    const [both] = await linesOf('ott.given-back', [{ order, session: { cafeId: 'of the session' } }]);

    expect(refused).toMatchObject({ reason: 'exhausted', game_session_id: 'gs_order', cafe_id: 'c' });
    expect(givenBack).toMatchObject({ game_session_id: 'gs_own' });
    expect(both).toMatchObject({ game_session_id: 'gs_order', cafe_id: 'of the session' });
  });

  test('there is none of a heartbeat', async () => {
    expect(await linesOf('game-session.heartbeat', [{ session: {} }, { session: {} }])).toEqual([]);
  });
});
