import { randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually.ts';
import { gameIdOf, gameServerOf, limits, newPc, newPlayer, theStack } from '../support/suite-stack.ts';

type Player = Awaited<ReturnType<typeof newPlayer>>;

/** What tells nothing of a session: nobody beats so often as is asked here, and one too many changes nothing (D-42); a store was slow (D-23). */
const tellsNothing = (answer: string): boolean => /^(429|503) /.test(answer);
const beat = async ({ server, id, user }: Player): Promise<string> => {
  const answer = await server.heartbeat(id, user);
  return answer.ok ? answer.data.result : `${answer.status} ${answer.code}`;
};
const end = async ({ server, id }: Player): Promise<string> => {
  const answer = await server.end(id);
  return answer.ok ? answer.data.result : `${answer.status} ${answer.code}`;
};
const beatUntil = (player: Player, answer: string, deadlineMs = 15_000) =>
  eventually(
    () => beat(player),
    (found) => found === answer,
    deadlineMs,
  );

const verified = async ({ id }: Player): Promise<string> => `is_valid true, ${id.slice(0, 3)}`;
const anotherOnThePc = async (player: Player): Promise<string> => {
  const stack = await theStack();
  const asked = await player.pc.requestOtt(gameIdOf(stack, 1));
  await gameServerOf(stack, 1).verify(asked.ok ? asked.data.ott : '', player.user);
  return beat(player);
};
const endedThen = (act: (player: Player) => Promise<string>) => async (player: Player) => {
  await end(player);
  await beatUntil(player, '410 SESSION_ENDED');
  return act(player);
};

type Row = [
  row: string,
  answer: string,
  heartbeat: string,
  end: string,
  trigger: (player: Player) => Promise<string>,
];

// The rows about billing that runs out, and about a stop that is not confirmed, are in 3.2-billing-and-the-partner.test.ts.
describe('spec 3.2 game session states', () => {
  test.each<Row>([
    ['(none), verify → active', 'is_valid true, gs_', 'OK', 'SUCCESS', verified],
    ['active, heartbeat, normal → active', 'OK', 'OK', 'SUCCESS', beat],
    [
      'active, heartbeat, another game session started on the same PC → replaced',
      ...(['SESSION_REPLACED', 'SESSION_REPLACED', '409 ALREADY_ENDED'] as const),
      anotherOnThePc,
    ],
    ['active, end → ended', 'SUCCESS', '410 SESSION_ENDED', '409 ALREADY_ENDED', end],
    [
      'ended, heartbeat → ended',
      '410 SESSION_ENDED',
      '410 SESSION_ENDED',
      '409 ALREADY_ENDED',
      endedThen(beat),
    ],
    ['ended, end → ended', '409 ALREADY_ENDED', '410 SESSION_ENDED', '409 ALREADY_ENDED', endedThen(end)],
  ])(
    '%s; the caller receives %s, a later heartbeat %s, a later end %s',
    async (_, answer, laterHeartbeat, laterEnd, trigger) => {
      const player = await newPlayer(await theStack());

      expect(await trigger(player)).toBe(answer);
      expect(await beatUntil(player, laterHeartbeat)).toBe(laterHeartbeat);
      expect(await end(player)).toBe(laterEnd);
    },
    30_000,
  );

  test.concurrent(
    'active, no heartbeat for 4 minutes → not found; each heartbeat restarts that time (D-10)',
    async () => {
      const stack = await theStack();
      const [kept, silent] = [await newPlayer(stack), await newPlayer(stack)];
      const since = performance.now();
      const outlivesMs = (limits.expiry + limits.slack + 2) * 1000;

      const answer = await eventually(
        () => beat(kept),
        (found) => !tellsNothing(found) && performance.now() - since > outlivesMs,
        outlivesMs + 5_000,
      );

      expect(answer).toBe('OK');
      expect([await beat(silent), await end(silent)]).toEqual([
        '404 SESSION_NOT_FOUND',
        '404 SESSION_NOT_FOUND',
      ]);
      expect(await end(kept)).toBe('SUCCESS');
    },
    30_000,
  );

  test.each([
    ['the end first', 'end'],
    ['the heartbeat first', 'beat'],
  ])('not found, heartbeat or end → not found: an id that never was, %s', async (_, first) => {
    const player = { ...(await newPlayer(await theStack())), id: `gs_${randomUUID()}` };
    const acts = first === 'end' ? [end, beat, end, beat] : [beat, end, beat, end];

    for (const act of acts) expect(await act(player)).toBe('404 SESSION_NOT_FOUND');
  });

  test.concurrent(
    'active, heartbeat while the launcher has been silent for over 4 minutes → ended; a launcher that speaks is waited for',
    async () => {
      const stack = await theStack();
      const [silent, speaking] = [await newPlayer(stack), await newPlayer(stack)];

      const answer = await eventually(
        async () => {
          await Promise.all([speaking.pc.heartbeat(), beat(speaking)]);
          return beat(silent);
        },
        (found) => found !== 'OK' && !tellsNothing(found),
        (limits.launcherSilence + 8) * 1000,
      );

      expect(answer).toBe('410 SESSION_ENDED');
      expect([await beat(silent), await end(silent)]).toEqual(['410 SESSION_ENDED', '409 ALREADY_ENDED']);
      expect(
        await eventually(
          () => beat(speaking),
          (found) => !tellsNothing(found),
        ),
      ).toBe('OK');
    },
    45_000,
  );
});

describe('spec 3.2, what it leaves open', () => {
  test("a launcher that closes ends its PC's game session, and opens nothing any more (D-07)", async () => {
    const player = await newPlayer(await theStack());

    expect(await player.pc.end()).toMatchObject({ status: 200, data: { result: 'SUCCESS' } });

    expect(await beatUntil(player, '410 SESSION_ENDED')).toBe('410 SESSION_ENDED');
    expect(await end(player)).toBe('409 ALREADY_ENDED');
    expect(await player.pc.heartbeat()).toMatchObject({ status: 401, code: 'INVALID_SESSION_TOKEN' });
  }, 20_000);

  test('two PCs do not know of each other, though one player sits at both', async () => {
    const stack = await theStack();
    const user = `player-${randomUUID()}`;
    const [left, right] = [await newPlayer(stack, { user }), await newPlayer(stack, { user })];

    expect(await end(left)).toBe('SUCCESS');
    expect([await beat(right), await end(right)]).toEqual(['OK', 'SUCCESS']);
  });

  test('a chain of replacements on one PC leaves the last alone alive', async () => {
    const stack = await theStack();
    const pc = newPc(stack);
    const players = [];
    for (let times = 0; times < 4; times += 1) players.push(await newPlayer(stack, { pc }));

    const answers = await Promise.all(players.map(beat));

    expect(answers).toEqual(['SESSION_REPLACED', 'SESSION_REPLACED', 'SESSION_REPLACED', 'OK']);
  });
});
