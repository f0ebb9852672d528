import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { newLauncherKey } from '../../deploy/operations/keys/new-keys.ts';
import { eventually } from '../support/eventually.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { scrape } from '../support/read-metrics.ts';
import { signedStart } from '../support/signed-start.ts';
import { cafeOf } from '../support/suite-stack.ts';

const own = useOwnStack();
const facts = () => own.stack.facts();
const cli = resolve(import.meta.dirname, '../../deploy/operations/keys/main.ts');

interface PcKey {
  readonly machine_id: string;
  readonly key_id: string;
  readonly secret: string;
}
/** What `npm run key -- derive` prints for a launcher key. */
const derive = (secretYaml: string, ...machines: string[]): Promise<PcKey[]> =>
  new Promise((done, failed) => {
    const args = [cli, 'derive', '--machines', machines.join(',')];
    const child = execFile(process.execPath, args, (error, stdout, stderr) =>
      error ? failed(new Error(stderr)) : done(parse(stdout) as PcKey[]),
    );
    child.stdin!.end(secretYaml);
  });

const secretOf = (cafe: number, shared?: 'refused') => {
  const { cafeId, keyId, secret } = cafeOf(facts(), cafe);
  const stored = newLauncherKey({ cafe: cafeId, name: 'k1', shared, secretBytes: secret });
  return { ...stored, metadata: { ...stored.metadata, name: keyId } };
};
const ownKey = async (cafe: number, machineId: string) => {
  const [key] = await derive(stringify(secretOf(cafe)), machineId);
  return { keyId: key!.key_id, secret: Buffer.from(key!.secret, 'base64') };
};
const start = (change: Parameters<typeof signedStart>[1]) => signedStart(facts(), change);
const refused = {
  status: 401,
  body: { error: { code: 'INVALID_SIGNATURE', server_time: expect.any(String) } },
};

describe('a PC may have a key of its own (D-48)', () => {
  test('which starts it, and no other PC', async () => {
    const key = await ownKey(0, 'M-017');

    expect(await start({ ...key, machineId: 'M-017' })).toMatchObject({ status: 200 });
    expect(await start({ ...key, machineId: 'M-018' })).toMatchObject(refused);
  });

  test('which starts no other PC whose name comes after a byte order mark, either', async () => {
    const key = await ownKey(0, 'M-017');

    expect(await start({ ...key, machineId: 'M-017', prefix: '\uFEFF' })).toMatchObject({ status: 200 });
    expect(await start({ ...key, machineId: 'M-018', prefix: '\uFEFF' })).toMatchObject(refused);
  });

  test('which is not the cafe’s: neither signs under the other’s name, and each PC has another', async () => {
    const { keyId, secret } = cafeOf(facts(), 0);
    const [one, other] = await derive(stringify(secretOf(0)), 'M-017', 'M-018');
    const pcSecret = Buffer.from(one!.secret, 'base64');

    expect(one!.secret).not.toBe(other!.secret);
    expect(await start({ keyId, secret: pcSecret, machineId: 'M-017' })).toMatchObject(refused);
    expect(await start({ keyId: one!.key_id, secret, machineId: 'M-017' })).toMatchObject(refused);
    expect(await start({ keyId: other!.key_id, secret: pcSecret, machineId: 'M-018' })).toMatchObject(
      refused,
    );
    expect(await start({ keyId: `${keyId}:`, secret, machineId: 'M-017' })).toMatchObject(refused);
  });

  test('which another cafe’s key does not make', async () => {
    const { keyId } = cafeOf(facts(), 0);
    const foreign = await ownKey(1, 'M-017');
    const pc = foreign.keyId.split(':')[1]!;

    expect(await start({ ...foreign, keyId: `${keyId}:${pc}`, machineId: 'M-017' })).toMatchObject(refused);
  });

  test('which is derived from what kubectl shows, too', async () => {
    const { stringData, ...object } = secretOf(0);
    const data = Object.fromEntries(
      Object.entries(stringData).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
    );

    const [key] = await derive(stringify({ ...object, type: 'Opaque', data }), 'M-017');

    expect(key).toMatchObject({ key_id: (await ownKey(0, 'M-017')).keyId });
    await expect(derive('kind: Secret', 'M-017')).rejects.toThrow(/launcher key/);
  });

  test('which takes a seat without being counted as one who has the cafe’s key', async () => {
    const counts = async () =>
      (await scrape(facts().processes))
        .filter(
          ({ name, labels }) =>
            name === 'gsb_launcher_session_events_total' && /^replaced/.test(labels['event']!),
        )
        .map(({ labels, value }) => [labels['event'], value]);
    const machineId = randomUUID();
    const key = await ownKey(0, machineId);
    const before = Object.fromEntries(await counts()) as Record<string, number>;

    for (const change of [key, key, {}]) await start({ ...change, machineId });

    expect(Object.fromEntries(await counts())).toEqual({
      replaced: before['replaced']! + 1,
      replaced_by_own_key: before['replaced_by_own_key']! + 1,
    });
  });

  test('where the cafe’s key says so, nobody starts with that key itself', async () => {
    const key = await ownKey(2, 'M-017');
    expect(await start({ cafe: 2 })).toMatchObject({ status: 200 });
    expect(await start({ cafe: 2, ...key, machineId: 'M-017' })).toMatchObject({ status: 200 });
    const file = join(own.dir, 'catalog', `${cafeOf(facts(), 2).keyId}.yaml`);

    writeFileSync(file, stringify(secretOf(2, 'refused')));

    await eventually(
      () => start({ cafe: 2 }),
      ({ status }) => status === 401,
    );
    expect(await start({ cafe: 2 })).toMatchObject(refused);
    expect(await start({ cafe: 2, ...key, machineId: 'M-017' })).toMatchObject({ status: 200 });
  });
});
