import { eventually } from '../support/eventually.ts';
import { gameIdOf, gameServerOf, limits, newOtt, newPc, theStack } from '../support/suite-stack.ts';

interface Token {
  readonly pc: ReturnType<typeof newPc>;
  readonly ott: string;
}

/** What a verify with a game's key says of a token. */
const verify = async ({ ott }: Token, game = 0): Promise<string> => {
  const answer = await gameServerOf(await theStack(), game).verify(ott, 'u1');
  if (!answer.ok) return `${answer.status} ${answer.code}`;
  return answer.data.isValid ? 'is_valid true' : answer.data.reason;
};

/** The state of a token, as the next verify with the right key tells it. */
const stateOf = async (token: Token): Promise<string> => {
  const states: Record<string, string> = {
    'is_valid true': 'issued',
    OTT_ALREADY_USED: 'consumed',
    OTT_EXPIRED: 'expired',
  };
  const answer = await verify(token);
  return states[answer] ?? answer;
};

const timeToLivePasses = async (): Promise<string> => {
  const since = performance.now();
  await eventually(
    async () => performance.now() - since,
    (ms) => ms > limits.ottTtl * 1000,
  );
  return 'nothing';
};

// The row in which billing is not possible is in 3.2-billing-and-the-partner.test.ts, with all that touches balances.
describe('spec 3.1 OTT states', () => {
  test.each<[row: string, answer: string, state: string, trigger: (token: Token) => Promise<string>]>([
    ['(none), launcher requests an OTT → issued', 'nothing', 'issued', async () => 'nothing'],
    ['issued, verify → consumed', 'is_valid true', 'consumed', verify],
    ['issued, 60 s pass without verify → expired', 'nothing', 'expired', timeToLivePasses],
    [
      'consumed, verify again → consumed',
      'OTT_ALREADY_USED',
      'consumed',
      async (token) => (await verify(token)) && verify(token),
    ],
    [
      'issued, verify with the API key of another game → unchanged',
      'GAME_MISMATCH',
      'issued',
      (token) => verify(token, 1),
    ],
  ])('%s; the caller receives %s, and a later verify finds it %s', async (_, answer, state, trigger) => {
    const token = await newOtt(await theStack());

    expect(await trigger(token)).toBe(answer);
    expect(await stateOf(token)).toBe(state);
  });

  test('(none), launcher requests an OTT: without a valid launcher session there is no token', async () => {
    const stack = await theStack();
    const stranger = newPc(stack);
    const left = newPc(stack);
    await left.start();
    await left.end();

    for (const pc of [stranger, left]) {
      expect(await pc.requestOtt(gameIdOf(stack))).toMatchObject({
        status: 401,
        code: 'INVALID_SESSION_TOKEN',
      });
    }
  });
});

describe('spec 3.1, what it leaves open', () => {
  test('a newer token for the same PC and game voids the earlier one, which is OTT_EXPIRED then (D-04)', async () => {
    const stack = await theStack();
    const earlier = await newOtt(stack);
    const asked = await earlier.pc.requestOtt(gameIdOf(stack));
    const newer = { pc: earlier.pc, ott: asked.ok ? asked.data.ott : '' };

    expect([await verify(earlier), await verify(newer)]).toEqual(['OTT_EXPIRED', 'is_valid true']);
  });

  test('a token for another game of the same PC leaves the first as it is', async () => {
    const stack = await theStack();
    const first = await newOtt(stack);
    const asked = await first.pc.requestOtt(gameIdOf(stack, 1));
    const second = { pc: first.pc, ott: asked.ok ? asked.data.ott : '' };

    expect([await verify(first), await verify(second, 1)]).toEqual(['is_valid true', 'is_valid true']);
  });

  test('of many wrong keys none spoils the token, and the right one spends it once (D-03)', async () => {
    const token = await newOtt(await theStack());

    const wrong = await Promise.all([1, 2, 1, 2, 1].map((game) => verify(token, game)));

    expect(new Set(wrong)).toEqual(new Set(['GAME_MISMATCH']));
    expect([await verify(token), await verify(token)]).toEqual(['is_valid true', 'OTT_ALREADY_USED']);
    expect(await verify(token, 1)).toBe('OTT_ALREADY_USED');
  });
});
