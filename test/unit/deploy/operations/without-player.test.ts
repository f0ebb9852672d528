import { documents } from '../../../../deploy/generate/api-documents.ts';
import { withoutPlayer } from '../../../../deploy/operations/dead-letters/without-player.ts';

const letterOf = (value: string) => ({
  ...{ topic: 'billing.v1', partition: 0, offset: '7', group: 'game-session', key: null },
  ...{ valueBase64: Buffer.from(value).toString('base64'), headers: [], reason: 'the value is not JSON' },
});
/** What is left of a message; undefined where it is as it was. */
const leftOf = (value: string, user: string): string | undefined => {
  const without = withoutPlayer(letterOf(value), user);
  return without && Buffer.from(without.valueBase64, 'base64').toString();
};
const sessionOf = (user: string, state = 'active') =>
  JSON.stringify({ session: { provider_user_id: user, state, game_id: 'starfall' }, cafe_id: 'cafe-1' });

describe('of a player who is erased (D-43)', () => {
  test('the id goes from every place in a message where a player stands, bundles included', () => {
    const bundle = (user: string) => `[${sessionOf(user)},{"items":[{"provider_user_id":"${user}"}]}]`;

    expect(leftOf(bundle('7656'), '7656')).toBe(bundle('erased'));
  });

  test.each(['active', 'starfall', 'cafe-1', 'gs_0f9d3c1e'])(
    'an id that is %s too changes no other player’s message, nor anything else of the own one',
    (user) => {
      expect(leftOf(sessionOf('76561198000000001'), user)).toBeUndefined();
      expect(leftOf(sessionOf(user), user)).toBe(sessionOf('erased'));
    },
  );

  test('a message that cannot be read is emptied where it has the id', () => {
    expect(leftOf('{"provider_user_id":"7656', '7656')).toBe('');
    expect(leftOf('{"provider_user_id":"7656', '8888')).toBeUndefined();
  });
});

/** The names of all fields that are described in a document. */
const fieldsIn = (node: unknown): string[] => {
  if (typeof node !== 'object' || node === null) return [];
  const { properties } = node as { properties?: object };
  return [...Object.keys(properties ?? {}), ...Object.values(node).flatMap(fieldsIn)];
};

test('no contract has a player under another name, on topics or in bodies (D-43)', () => {
  const names = new Set(fieldsIn(documents()).filter((name) => /user|player/.test(name)));

  expect([...names].sort()).toEqual(['provider_user_id', 'user_hash']);
});
