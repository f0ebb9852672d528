import { refusedByKind, validateObjects } from '#libs/catalog/cluster-objects.ts';
import { pcIdOf, pcKeyId } from '#libs/catalog/pc-keys.ts';
import { readSignature } from '#libs/http/signature.ts';
import type { ClusterObject } from '#libs/catalog/cluster-objects.ts';

const hash = (letter: string) => letter.repeat(64);
const nobody = new Map();

const game = (name: string, keys: { id: string; sha256: string }[], createdAt = 1): ClusterObject => ({
  kind: 'Game',
  metadata: { name, creationTimestamp: new Date(createdAt).toISOString() },
  spec: { displayName: name, keys },
});

const launcherKey = (name: string, cafe: string, createdAt = 1): ClusterObject => ({
  kind: 'Secret',
  metadata: {
    name,
    labels: { 'gsb.dev/launcher-key': 'true' },
    creationTimestamp: new Date(createdAt).toISOString(),
  },
  data: {
    cafe_id: Buffer.from(cafe).toString('base64'),
    secret: Buffer.from(Buffer.alloc(32, 7).toString('base64')).toString('base64'),
  },
});

test('a Game and a launcher key from the Kubernetes API are the same as from a catalog folder', () => {
  const { accepted, refused } = validateObjects(
    [game('starfall', [{ id: 'aaaaaaaa', sha256: hash('a') }]), launcherKey('cafe-1.k1', 'cafe-1')],
    nobody,
  );

  expect(refused.size).toBe(0);
  expect(accepted.get('Game starfall')).toMatchObject({ spec: { outagePolicy: 'continue' } });
  expect(accepted.get('Secret cafe-1.k1')).toMatchObject({
    stringData: { cafe_id: 'cafe-1', secret: Buffer.alloc(32, 7).toString('base64') },
  });
});

test('a launcher key whose PCs could have no key of their own that signs is refused by name (D-48)', () => {
  const [longest, tooLong] = ['k'.repeat(92), 'k'.repeat(93)];
  const { accepted, refused } = validateObjects(
    [launcherKey(longest, 'cafe-1'), launcherKey(tooLong, 'cafe-2')],
    nobody,
  );

  const pcKey = pcKeyId(longest, pcIdOf('cafe-1', 'M-017'));
  const signed = `sig1=("@method" "@authority" "@path" "content-digest");created=1795165200;keyid="${pcKey}";nonce="12345678";alg="hmac-sha256"`;
  expect(readSignature(signed, 'sig1=:AAAA:')).toMatchObject({ keyId: pcKey });
  expect([...accepted.keys()]).toEqual([`Secret ${longest}`]);
  expect(refused.get(`Secret ${tooLong}`)).toContain(
    'must be at most 92 characters, so that a key of a single PC, whose id has 36 more, can sign',
  );
});

test('an invalid object is refused by name, and its last accepted version stays (D-32)', () => {
  const before = validateObjects(
    [game('starfall', [{ id: 'aaaaaaaa', sha256: hash('a') }])],
    nobody,
  ).accepted;

  const { accepted, refused } = validateObjects(
    [game('starfall', [{ id: 'bbbbbbbb', sha256: 'short' }])],
    before,
  );

  expect(refused.get('Game starfall')).toContain('must be a SHA-256 in hexadecimal');
  expect(accepted.get('Game starfall')).toEqual(before.get('Game starfall'));
});

test('what is refused is counted by kind, of the kinds that a service reads (D-32)', () => {
  const validation = validateObjects(
    [game('starfall', [{ id: 'aaaaaaaa', sha256: 'short' }]), game('moonrise', []), launcherKey('c.k1', 'c')],
    nobody,
  );

  expect(refusedByKind(validation, ['Game', 'Secret'])).toEqual({ Game: 1, Secret: 0 });
  expect(refusedByKind(validation, ['Operator'])).toEqual({ Operator: 0 });
});

test('a key id that two Games claim stays with the one that had it, whoever is older (D-32)', () => {
  const mine = game('starfall', [{ id: 'aaaaaaaa', sha256: hash('a') }], 2);
  const newcomer = game('moonrise', [{ id: 'aaaaaaaa', sha256: hash('b') }], 1);
  const before = validateObjects([mine], nobody).accepted;

  const { accepted, refused } = validateObjects([newcomer, mine], before);

  expect([...accepted.keys()]).toEqual(['Game starfall']);
  expect(refused.get('Game moonrise')).toBe('API key id aaaaaaaa stands already in Game starfall');
});

test('of three launcher keys of a cafe the two older ones are in force (D-14)', () => {
  const { accepted, refused } = validateObjects(
    [launcherKey('c.k3', 'c', 3), launcherKey('c.k1', 'c', 1), launcherKey('c.k2', 'c', 2)],
    nobody,
  );

  expect([...accepted.keys()]).toEqual(['Secret c.k1', 'Secret c.k2']);
  expect(refused.get('Secret c.k3')).toBe('a third launcher key of c');
});

test('a deleted object is no longer in force', () => {
  const before = validateObjects([game('starfall', [])], nobody).accepted;

  expect(validateObjects([], before).accepted.size).toBe(0);
});

const withUid = (uid: string, { metadata, ...object }: ClusterObject): ClusterObject => ({
  ...object,
  metadata: { ...metadata, uid },
});

test('a launcher key that was deleted is out of force, although an invalid one of its name follows (D-45)', () => {
  const key = launcherKey('cafe-1.k1', 'cafe-1');
  const invalid = { ...key, data: { ...key.data!, secret: '' } };
  const before = validateObjects([withUid('first', key)], nobody).accepted;

  const edited = validateObjects([withUid('first', invalid)], before);
  const made = validateObjects([withUid('second', invalid)], edited.accepted);

  expect([...edited.accepted.keys()]).toEqual(['Secret cafe-1.k1']);
  expect([...made.accepted.keys()]).toEqual([]);
  expect([...made.refused.keys()]).toEqual(['Secret cafe-1.k1']);
});

test('a launcher key whose Secret has a name without a value is refused', () => {
  const key = launcherKey('cafe-1.k1', 'cafe-1');

  const { refused } = validateObjects([{ ...key, data: { ...key.data!, secret: null } }], nobody);

  expect([...refused.keys()]).toEqual(['Secret cafe-1.k1']);
});

test('of many keys only the one that has changed is read again', () => {
  const reads: string[] = [];
  const counted = (name: string): ClusterObject => {
    const { data, ...object } = launcherKey(`${name}.k1`, name);
    return Object.defineProperty(object, 'data', { get: () => (reads.push(name), data), enumerable: true });
  };
  const [first, second] = [counted('cafe-1'), counted('cafe-2')];
  const { accepted: before } = validateObjects([first, second], nobody);
  reads.length = 0;

  const { accepted } = validateObjects([first, counted('cafe-2')], before);

  expect(reads).toEqual(['cafe-2']);
  expect(accepted).toEqual(before);
});
