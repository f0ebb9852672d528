import { randomUUID } from 'node:crypto';
import { republish } from '#libs/kafka/replay/republish.ts';
import { withLogReader } from '#libs/kafka/replay/log-reader.ts';
import { runCommand } from '../support/command.ts';
import { kafkaOf } from '../support/offsets.ts';
import { theStack } from '../support/suite-stack.ts';

const topic = 'game-sessions.v1';
const ended = { ce_type: 'dev.gsb.game-session.ended' };
const command = (...args: string[]) => runCommand('deploy/operations/dead-letters/main.ts', args, {});
const publish = async (...messages: Parameters<typeof republish>[1]) =>
  republish(kafkaOf(await theStack()), messages);

/** The offsets of the messages with a key, and which of them are replays. */
const messagesWith = async (key: string) => {
  const found: { readonly partition: number; readonly offset: string; readonly isReplay: boolean }[] = [];
  await withLogReader({ kafka: kafkaOf(await theStack()), topics: [topic] }, async (log) =>
    log.read(await log.rangesSince(0), (messages) => {
      for (const { partition, message } of messages)
        if (message.key?.toString() === key)
          found.push({
            ...{ partition, offset: message.offset },
            isReplay: 'gsb_replay_of' in (message.headers ?? {}),
          });
    }),
  );
  return found;
};

/** A dead letter as any one service may write it; resolves to its number. */
const forge = async (letter: Readonly<Record<string, unknown>>): Promise<string> => {
  const mark = randomUUID();
  const value = JSON.stringify({
    ...{ topic, partition: 0, offset: '0', group: 'settlement', key: mark },
    ...{ value_base64: Buffer.from('{"forged":true}').toString('base64') },
    headers: [{ name: 'ce_type', value: ended.ce_type }],
    ...letter,
    reason: `forged ${mark}`,
  });
  const headers = { ce_type: 'dev.gsb.dead-letter.recorded' };
  await publish({ topic: 'dead-letters.v1', key: topic, value: Buffer.from(value), headers });
  const { out } = await command('show');
  const shown = out.split('\n\n').find((each) => each.includes(mark));
  return /#(\d+) /.exec(shown ?? '')?.[1] ?? 'none';
};

test('a letter of a message that the log does not have is refused: who may write letters writes on no other topic (D-70)', async () => {
  const key = `forged-${randomUUID()}`;
  await publish({ topic, key, value: Buffer.from('{"as":"it was"}'), headers: ended });
  const [place] = await messagesWith(key);

  const [changed, nowhere] = [
    await forge({ key, partition: place?.partition, offset: place?.offset }),
    await forge({ key, offset: '9007199254740991' }),
  ];
  const answers = [await command('replay', '--id', changed), await command('replay', '--id', nowhere)];

  expect(answers.map(({ code }) => code)).toEqual([1, 1]);
  expect(answers[0]?.out).toContain(
    `✕ #${changed}: unproven: the log has another message at ${topic}/${place?.partition}@${place?.offset}`,
  );
  expect(answers[1]?.out).toContain(`✕ #${nowhere}: unproven: the log has nothing at ${topic}/0@9007`);
  for (const { out } of answers) expect(out).toContain('✓ replayed 0 of 1');
  expect(await messagesWith(key)).toEqual([place]);
}, 60_000);

test('what an operator has looked at is replayed as the letter says, one letter at a time, and the audit says so (D-70)', async () => {
  const key = `looked-at-${randomUUID()}`;
  const id = await forge({ key, offset: '9007199254740991' });

  const [all, one] = [
    await command('replay', '--all', '--unproven', '--dry-run'),
    await command('replay', '--id', id, '--unproven'),
  ];

  expect([all.code, all.err]).toEqual([2, expect.stringContaining('--unproven is for one letter')]);
  expect([one.code, one.out]).toEqual([0, expect.stringContaining('✓ replayed 1 of 1')]);
  expect(one.err).toContain(`"operation":"dead-letters replay --id=${id} --unproven"`);
  expect(await messagesWith(key)).toMatchObject([{ isReplay: true }]);
}, 60_000);

test('what a letter says is shown as it is, and moves no cursor: no line looks like one that the command says itself', async () => {
  const [escape, csi, turned] = ['\u001b', '\u009b', '\u202e'];
  const id = await forge({
    ...{
      topic: `${topic}${escape}[2J`,
      offset: `1${csi}2K`,
      group: `g${turned}`,
      key: 'k\n✓ replayed 1 of 1',
    },
    headers: [{ name: 'ce_type', value: 'x\r\n#1 billing.v1/0@1' }],
    value_base64: Buffer.from(`{\n"a":"${escape}c"}`).toString('base64'),
  });

  const [shown, listed, refused] = [
    await command('show', '--id', id),
    await command('list'),
    await command('replay', '--id', id),
  ];

  for (const { out } of [shown, listed, refused]) expect(out).not.toMatch(/[\u001b\u009b\u202e\r]/);
  expect(shown.out).toContain(`${topic}\\u{1b}[2J/0@1\\u{9b}2K → g\\u{202e}, `);
  expect(shown.out).toContain('key k\\u{a}✓ replayed 1 of 1\n');
  expect(shown.out).toContain('  ce_type: x\\u{d}\\u{a}#1 billing.v1/0@1\n  {\n  "a":"\\u{1b}c"}\n');
  expect(refused.out).toContain(`✕ #${id}: ${topic}\\u{1b}[2J is no topic of this product`);
}, 60_000);
