import { randomBytes, randomUUID } from 'node:crypto';
import { newApiKey, newLauncherKey } from '../../deploy/operations/keys/new-keys.ts';
import { createCatalog } from '#libs/catalog/catalog.ts';
import { catalogObject } from '#libs/catalog/catalog-objects.ts';
import { pcIdOf, pcKeyId } from '#libs/catalog/pc-keys.ts';
import { readSignature } from '#libs/http/signature.ts';
import { signRequest } from '#simulators/launcher/sign-request.ts';
import { checkSignature } from '../../services/launcher-gateway/adapters/check-signature.ts';

const rounds = 400;
const callsARound = 20;

/** What it takes where nothing interferes: with others on the machine most rounds are interrupted. */
const undisturbed = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 10)]!;
/** How long one takes beside the other: measured in turn, so that a noisy machine slows both. */
const ratioOf = (one: () => unknown, other: () => unknown): number => {
  const times: [number[], number[]] = [[], []];
  const measure = (work: () => unknown): number => {
    const began = performance.now();
    for (let call = 0; call < callsARound; call += 1) work();
    return performance.now() - began;
  };
  for (let round = 0; round < rounds; round += 1) {
    times[0].push(measure(one));
    times[1].push(measure(other));
  }
  return undisturbed(times[0]) / undisturbed(times[1]);
};
/** Beyond this the network would tell as well, to whoever asks often enough. */
const alike = (ratio: number) => expect(Math.abs(Math.log(ratio))).toBeLessThan(Math.log(1.35));

const id = Buffer.alloc(8);
const keyOf = (bytes: Buffer) =>
  newApiKey({ game: 'starfall', env: 'dev', randomBytes: Buffer.concat([bytes, randomBytes(32)]) });
const cafeKey = newLauncherKey({ cafe: 'cafe-1', name: 'k1', secretBytes: randomBytes(32) });
const objects = [catalogObject.parse(keyOf(id).stored), catalogObject.parse(cafeKey)];
const catalog = createCatalog(() => objects, Date.now);

describe('a wrong credential is refused in the same time, whether or not there is a key of its name', () => {
  test('API keys', () => {
    const [known, unknown] = [keyOf(id).key, keyOf(Buffer.alloc(8, 7)).key];
    const refused = (key: string) => () => [catalog.gameOfKey(key), catalog.refusalOf(key)];

    expect([refused(known)()[1], refused(unknown)()[1]]).toMatchObject([
      { reason: 'mismatch' },
      { reason: 'unknown_key' },
    ]);
    alike(ratioOf(refused(known), refused(unknown)));
  });

  test.each([
    ['of cafes', (keyId: string) => keyId],
    ['of single PCs', (keyId: string) => pcKeyId(keyId, pcIdOf('cafe-1', 'M-017'))],
  ])('signatures with keys %s', (_, nameOf) => {
    const body = Buffer.from('{}');
    const parts = { method: 'POST', authority: 'launcher', path: '/v1/session/start', body };
    const check = (keyId: string) => {
      const claims = { keyId: nameOf(keyId), nonce: randomUUID(), createdSec: Math.floor(Date.now() / 1000) };
      const signed = signRequest(parts, claims, randomBytes(32));
      const incoming = {
        ...{ ...parts, rawBody: body, requestId: '', rawHeaders: [], peer: '', hasGone: () => false },
        headers: { 'content-digest': signed['Content-Digest'] },
      };
      const signature = readSignature(signed['Signature-Input'], signed.Signature);
      return () =>
        checkSignature({ catalog, clock: Date.now, authorities: undefined }, incoming, signature).refused;
    };
    const [known, unknown] = [check('cafe-1.k1'), check('cafe-9.k1')];

    expect([known(), unknown()]).toEqual(['mismatch', 'unknown_key']);
    alike(ratioOf(known, unknown));
  });
});
