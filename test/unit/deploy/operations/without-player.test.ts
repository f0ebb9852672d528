import { events } from '#libs/contracts/events.ts';
import { documents } from '../../../../deploy/generate/api-documents.ts';
import { exampleOf, jsonSchema } from '../../../../deploy/generate/documents/schema.ts';
import { withoutPlayer } from '../../../../deploy/operations/dead-letters/without-player.ts';

const letterOf = (value: string, headers: Record<string, string> = {}) => ({
  ...{ topic: 'game-sessions.v1', partition: 0, offset: '7', group: 'settlement', key: null },
  valueBase64: Buffer.from(value).toString('base64'),
  headers: Object.entries(headers).map(([name, text]) => ({ name, value: text })),
  reason: 'the value is not JSON',
});
/** What is left of a message; undefined where it is as it was. */
const leftOf = (value: string, user: string, headers?: Record<string, string>): string | undefined => {
  const without = withoutPlayer(letterOf(value, headers), user);
  return without && Buffer.from(without.valueBase64, 'base64').toString();
};

const ending = 'game-session.ending';
const example = exampleOf(jsonSchema(events[ending].data)) as { readonly session: object };
/** A message of the contract. */
const sessionOf = (user: string) =>
  JSON.stringify({ ...example, session: { ...example.session, provider_user_id: user } });
const ofContract = { ce_type: `dev.gsb.${ending}` };

describe('of a player who is erased (D-43)', () => {
  test.each(['active', 'ending', 'starfall', 'cafe-1'])(
    'an id that is %s too changes no other player’s message, nor anything else of the own one',
    (user) => {
      expect(leftOf(sessionOf('76561198000000001'), user, ofContract)).toBeUndefined();
      expect(leftOf(sessionOf(user), user, ofContract)).toBe(sessionOf('erased'));
    },
  );

  test.each([
    ['a bundle', (user: string) => `[{"session":{"provider_user_id":"${user}"}},{"items":["${user}"]}]`],
    ['another spelling', (user: string) => `{"providerUserId":"${user}"}`],
    ['a list', (user: string) => `{"provider_user_id":["${user}"]}`],
    ['more than a text', (user: string) => `{"provider_user_id":{"id":"${user}"}}`],
  ])('in a message that breaks its contract the id goes from wherever it stands: %s', (_, message) => {
    expect(leftOf(message('7656'), '7656', ofContract)).toBe(message('erased'));
    expect(leftOf(message('7656'), '8888', ofContract)).toBeUndefined();
  });

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
