import { randomUUID } from 'node:crypto';
import { topics } from '#libs/contracts/topics.ts';
import type { ServiceName, TopicName } from '#libs/contracts/topics.ts';
import { connectKafka } from '#libs/kafka/connection.ts';
import { republish } from '#libs/kafka/replay/republish.ts';
import { createLog } from '#libs/runtime/log.ts';
import { runCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { askSettlement } from '../support/settlement.ts';
import { newPlayer, theStack } from '../support/suite-stack.ts';

const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);
const kafka = connectKafka({
  brokers: (process.env['KAFKA_BROKERS'] ?? '').split(','),
  clientId: 'test',
  log,
});
const read = Object.entries(topics)
  .filter(([, { readers }]) => readers.length > 0)
  .map(([name, { readers }]) => [name as TopicName, readers as readonly ServiceName[]] as const);

const command = (...args: string[]) => runCommand('deploy/operations/dead-letters/main.ts', args, {});
const poison = (topic: string, key: string) =>
  republish(kafka, [{ topic, key, value: Buffer.from('{"this is": "poison'), headers: { marked: key } }]);

/** A whole visit, and its line in the ledger: every topic of the product has gone on. */
const visit = async (): Promise<number> => {
  const stack = await theStack();
  const { server, id, user } = await newPlayer(stack);
  await server.heartbeat(id, user);
  await server.end(id);
  const entry = async () => (await askSettlement(stack, `sessions/${id}`)).status;
  return eventually(entry, (status) => status === 200);
};

const lettersWith = async (mark: string): Promise<string[]> => {
  const { out } = await command('show');
  return out.split('\n\n').filter((letter) => letter.includes(mark));
};

const marks = new Map(read.map(([topic]) => [topic as string, `poison-${randomUUID()}`]));

beforeAll(async () => {
  for (const [topic, mark] of marks) await poison(topic, mark);
});

test('a poison message on every topic blocks nobody: a player visits, and the visit is in the ledger', async () => {
  expect(await visit()).toBe(200);
});

test.each(read)(
  'poison on %s is a dead letter of each of its readers %j, with the reason and as it was',
  async (topic, readers) => {
    const mark = marks.get(topic) ?? '';
    const letters = await eventually(
      () => lettersWith(mark),
      (found) => found.length === readers.length,
    );

    for (const reader of readers)
      expect(letters.some((letter) => letter.includes(`${topic}/`) && letter.includes(`→ ${reader}`))).toBe(
        true,
      );
    for (const letter of letters) {
      expect(letter).toContain('reason: Unreadable: the type (ce_type) is missing or unknown');
      expect(letter).toContain(`marked: ${mark}`);
      expect(letter).toContain('{"this is": "poison');
    }
  },
);

test('dead letters are counted by topic, reader and reason', async () => {
  const { out, code } = await command('list', '--topic', 'ott-claims.v1');

  expect(code).toBe(0);
  expect(out).toMatch(
    /\d+ × ott-claims\.v1 → billing-adapter \(oldest \d+ (s|min), newest \d+ (s|min), last #\d+\): Unreadable/,
  );
});

test('a dead letter that is replayed is said again with its headers, and still blocks nobody', async () => {
  const mark = marks.get('cafe-checks.v1') ?? '';
  const [letter = ''] = await lettersWith(mark);
  const [, id = ''] = /#(\d+) /.exec(letter) ?? [];

  const replayed = await command('replay', '--id', id);

  expect(replayed).toMatchObject({ code: 0, out: expect.stringContaining('✓ replayed 1 of 1') });
  const again = await eventually(
    () => lettersWith(mark),
    (found) => found.length === 2,
  );
  expect(again[1]).toContain(`gsb_replay_of: ${id}`);
  expect(await visit()).toBe(200);
});

test.each([['replay'], ['replay', '--id', '999999'], ['bury']])(
  'dead-letters %s %s ends with 2, and says in one line what is wrong',
  async (...words) => {
    const { code, err } = await command(...words);

    expect(code).toBe(2);
    const said = err.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    expect(said).toHaveLength(1);
  },
);
