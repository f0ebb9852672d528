import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { partnerOf } from '../support/partner.ts';
import { scrape } from '../support/read-metrics.ts';
import { signedStart } from '../support/signed-start.ts';
import { cafeOf, gameIdOf, newPc, newPlayer } from '../support/suite-stack.ts';

const own = useOwnStack({
  LAUNCHER_SESSION_SEC: '15',
  LAUNCHER_SILENCE_SEC: '5',
  HEARTBEAT_INTERVAL_SEC: '2',
});
const facts = () => own.stack.facts();
let client: Redis | undefined;
const redis = () => (client ??= new Redis(facts().redis.url));
afterAll(() => client?.disconnect());
const knownCafe = (ip: string) => `gsb:cafe:last:{${ip}}`;
/** As if the partner had said it so many seconds earlier. */
const growOlder = async (ip: string, sec: number) => {
  const leftMs = await redis().pttl(knownCafe(ip));
  await redis().pexpire(knownCafe(ip), leftMs - sec * 1000);
};
/** The file of the catalog that a cafe's key is in. */
const fileOfKey = (cafe: number): string => {
  const folder = join(own.dir, 'catalog');
  const { keyId } = cafeOf(facts(), cafe);
  const name = readdirSync(folder).find((file) => readFileSync(join(folder, file), 'utf8').includes(keyId));
  return join(folder, name ?? '');
};
const ended = { status: 401, code: 'INVALID_SESSION_TOKEN' };

describe('launcher sessions end (D-45)', () => {
  test('after their lifetime, however alive the launcher is; it starts again and the player plays on', async () => {
    const { pc, server, id, user } = await newPlayer(facts());

    const last = await eventually(
      () => pc.heartbeat(),
      ({ status }) => status === 401,
      20_000,
    );

    expect(last).toMatchObject(ended);
    expect(await pc.requestOtt(gameIdOf(facts()))).toMatchObject(ended);
    expect(await pc.start()).toMatchObject({ ok: true });
    expect(await server.heartbeat(id, user)).toMatchObject({ data: { result: 'OK' } });
  }, 40_000);

  test('a heartbeat from an address that is not the cafe’s is refused, and one from another of its addresses is not', async () => {
    const started = await signedStart(facts(), { from: '203.0.113.10' });
    const { session_token: token } = (started.body as { data: { session_token: string } }).data;
    const beatFrom = (ip: string) =>
      fetch(`${facts().launcher.url}/v1/session/heartbeat`, {
        method: 'PATCH',
        headers: { Authorization: `Bearer ${token}`, 'X-Forwarded-For': ip },
      });

    expect((await beatFrom('203.0.113.20')).status).toBe(403);
    expect((await beatFrom('198.51.100.9')).status).toBe(403);
    expect((await beatFrom('203.0.113.11')).status).toBe(200);
  });

  test('a launcher ends its session wherever it seems to call from', async () => {
    for (const from of ['198.51.100.9', '10.0.0.9', 'nonsense']) {
      const started = await signedStart(facts());
      const { session_token: token } = (started.body as { data: { session_token: string } }).data;
      const answer = await fetch(`${facts().launcher.url}/v1/session/end`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${token}`, 'X-Forwarded-For': from },
      });
      expect(await answer.json()).toMatchObject({ success: true, data: { result: 'SUCCESS' } });
    }
  });

  test('while the partner does not answer, heartbeats from the session’s own address go on', async () => {
    const pc = newPc(facts(), 2);
    await pc.start();
    const partner = partnerOf(facts());
    await partner.setFault({ operation: 'check', mode: 'error', status: 500 });

    const beaten = await pc.heartbeat();
    await partner.heal();

    expect(beaten).toMatchObject({ ok: true });
  });

  test('an address that the partner took from a cafe issues no token, and ends its launchers, although the partner takes 0.7 s to say so', async () => {
    const pc = newPc(facts(), 2);
    await pc.start();
    const { ip } = cafeOf(facts(), 2);
    const partner = partnerOf(facts());
    await partner.setFault({ operation: 'check', mode: 'slow', delay_ms: 700 });
    await partner.setAddresses(2, []);
    await growOlder(ip, 61);

    expect(await pc.heartbeat()).toMatchObject({ ok: true });
    await eventually(
      () => redis().get(knownCafe(ip)),
      (known) => known === '-',
    );
    await growOlder(ip, 11);
    expect(await pc.heartbeat()).toMatchObject({ status: 403, code: 'NOT_PC_CAFE' });
    await growOlder(ip, 11);
    expect(await pc.requestOtt(gameIdOf(facts()))).toMatchObject({ status: 403, code: 'NOT_PC_CAFE' });
    await partner.setAddresses(2, facts().cafes[2]!.ips);
    await growOlder(ip, 11);
    expect(await pc.requestOtt(gameIdOf(facts()))).toMatchObject({ ok: true });
    await partner.heal();
  });

  test('a start on a PC whose launcher is live is counted', async () => {
    const replaced = async () =>
      (await scrape(facts().processes)).find(
        ({ name, labels }) => name === 'gsb_launcher_session_events_total' && labels['event'] === 'replaced',
      )?.value ?? 0;
    const before = await replaced();
    const pc = newPc(facts(), 1);

    await pc.start();
    expect(await replaced()).toBe(before);
    await pc.start();

    expect(await replaced()).toBe(before + 1);
  });

  test.each([
    ['gets another secret', (text: string) => text.replace(/secret: .*/, `secret: ${'A'.repeat(43)}=`)],
    [
      'may no longer be shared',
      (text: string) => text.replace(/( *)secret: /, '$1shared: refused\n$1secret: '),
    ],
  ])('within seconds after their key %s under its name', async (_what, changed) => {
    const pc = newPc(facts(), 0);
    await pc.start();
    const file = fileOfKey(0);
    const text = readFileSync(file, 'utf8');
    expect(changed(text)).not.toBe(text);
    expect(await pc.heartbeat()).toMatchObject({ ok: true });

    writeFileSync(file, changed(text));
    const answer = await eventually(
      () => pc.heartbeat(),
      ({ status }) => status === 401,
      10_000,
    );
    writeFileSync(file, text);

    expect(answer).toMatchObject(ended);
    await eventually(
      () => pc.start(),
      ({ ok }) => ok,
    );
  });

  test('within seconds of their key’s removal no token is issued for them any more', async () => {
    const pc = newPc(facts(), 1);
    await pc.start();
    const beats = setInterval(() => void pc.heartbeat().catch(() => undefined), 1_000);

    rmSync(fileOfKey(1));
    const answer = await eventually(
      () => pc.requestOtt(gameIdOf(facts())),
      ({ status }) => status === 401,
    );
    clearInterval(beats);

    expect(answer).toMatchObject(ended);
  });
});
