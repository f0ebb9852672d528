import { randomUUID } from 'node:crypto';
import { republish } from '#libs/kafka/replay/republish.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { kafkaOf } from '../support/offsets.ts';
import { operatorEnv } from '../support/operator.ts';
import { useOwnStack } from '../support/own-stack.ts';

/** Dead letters get other numbers when a player is erased from them: no other test may count on theirs. */
const own = useOwnStack();

const run = (entry: string, args: string[]) =>
  runCommand(`deploy/operations/${entry}`, args, { KAFKA_BROKERS: own.stack.kafka.brokers.join(',') });
const deadLetters = async (...args: string[]) => (await run('dead-letters/main.ts', args)).out;
const erase = (...args: string[]) => run('erase.ts', args);

test('a player is erased from the dead letters, which stay as they are otherwise (D-43)', async () => {
  const [erased, stays] = [`player-${randomUUID()}`, `player-${randomUUID()}`];
  const kafka = kafkaOf(own.stack.facts());
  const poison = (value: string) =>
    republish(kafka, [
      {
        topic: 'billing.v1',
        key: 'of-the-test',
        value: Buffer.from(value),
        headers: { ce_type: 'dev.gsb.billing.renewed' },
      },
    ]);
  await poison(`{"session":{"provider_user_id":"${erased}","play_duration_sec":7}}`);
  await poison(`{"cut off": "${erased}`);
  await poison(`{"session":{"provider_user_id":"${stays}"}}`);
  const count = (text: string, user: string) => text.split(user).length - 1;
  await eventually(
    () => deadLetters('show'),
    (text) => count(text, erased) >= 2 && count(text, stays) >= 1,
  );

  const [would, done] = [await erase('--user', erased, '--dry-run'), await erase('--user', erased)];
  const shown = await deadLetters('show');

  expect([would.code, would.out]).toEqual([0, expect.stringMatching(/^would erase the player from \d+ of/)]);
  expect([done.code, done.out]).toEqual([0, expect.stringMatching(/^✓ erased the player from [1-9]/)]);
  expect(done.err).toContain('"operation":"erase --user=…"');
  expect(done.err).not.toContain(erased);
  expect(count(shown, erased)).toBe(0);
  expect(count(shown, stays)).toBeGreaterThanOrEqual(1);
  expect(shown).toContain('{"session":{"provider_user_id":"erased","play_duration_sec":7}}');
  expect((await erase('--user', erased)).out).toContain('from 0 of');
}, 120_000);

test.each([
  ['the second line of stdin, behind the key', true],
  ['the first one where the key is in the environment', false],
])(
  'a player who is given as %s is in no process list',
  async (_, keyToo) => {
    const player = `플레이어-${randomUUID()} `;
    await republish(kafkaOf(own.stack.facts()), [
      {
        ...{ topic: 'billing.v1', key: 'of-the-test', headers: { ce_type: 'dev.gsb.billing.renewed' } },
        value: Buffer.from(JSON.stringify({ session: { provider_user_id: player } })),
      },
    ]);
    await eventually(
      () => deadLetters('show'),
      (text) => text.includes(player),
    );
    const { OPERATOR_KEY = '', ...catalog } = operatorEnv();
    const env = { ...catalog, KAFKA_BROKERS: own.stack.kafka.brokers.join(',') };
    const args = ['--user', '-', ...(keyToo ? ['--key-stdin'] : [])];

    const started = startCommand('deploy/operations/erase.ts', args, {
      ...env,
      OPERATOR_KEY: keyToo ? '' : OPERATOR_KEY,
    });
    started.type(`${keyToo ? `${OPERATOR_KEY}\n` : ''}${player}\n`);
    const { code, out, err } = await started.ended;

    expect([code, out]).toEqual([0, expect.stringMatching(/^✓ erased the player from [1-9]/)]);
    expect(err).toContain('"operation":"erase --user=…"');
    expect(await deadLetters('show')).not.toContain(player);
  },
  60_000,
);

test('what cannot be read is not lost, nor said to be without the player: nothing is erased (D-43)', async () => {
  const kafka = kafkaOf(own.stack.facts());
  await republish(kafka, [
    { topic: 'dead-letters.v1', key: 'of-another-version', value: Buffer.from('{}'), headers: {} },
  ]);

  const { code, err, out } = await erase('--user', 'anybody');
  const listed = await deadLetters('list');

  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('1 messages on dead-letters.v1 are no dead letters that this version can read');
  expect(listed).toMatch(/^! 1 messages on dead-letters\.v1 are no dead letters\n\d+ dead letters/);
}, 60_000);

test('erase without a player is wrong use', async () => {
  expect((await erase()).code).toBe(2);
  const started = startCommand('deploy/operations/erase.ts', ['--user', '-'], {});
  started.type('\n');
  expect((await started.ended).code).toBe(2);
});
