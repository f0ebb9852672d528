import { z } from 'zod';
import { providerUserId } from '#libs/contracts/fields.ts';
import { topics } from '#libs/contracts/topics.ts';
import { toWire } from '#libs/contracts/wire.ts';
import { deleteRecordsBefore } from '#libs/kafka/admin/delete-records.ts';
import { connectKafka } from '#libs/kafka/connection.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { republish } from '#libs/kafka/replay/republish.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { kafkaAccess, kafkaSettings, withKafka } from '#libs/runtime/kafka-settings.ts';
import { CommandFailure, Misuse, exitCodes, print, runCommand } from './command-line.ts';
import type { Given } from './command-line.ts';
import { readDeadLetters, recordedAtHeader } from './dead-letters/read-dead-letters.ts';
import type { StoredDeadLetter } from './dead-letters/read-dead-letters.ts';
import { withoutPlayer } from './dead-letters/without-player.ts';
import { commandLog } from './operator.ts';

const help = `Takes a player out of the dead letters, which hold messages as they were for up to 30 days (D-43).

  npm run erase -- --user 76561198000000001 [--dry-run]
  npm run erase -- --user - [--dry-run]            the id is a line of stdin, behind that of --key-stdin: no list of processes, and no
                                                   audit log of the Kubernetes API, has it

  The id in a message becomes "erased", where it is a provider_user_id, or anywhere in a message that breaks its contract; a message that is
  no JSON, and has the id, is emptied. Dead letters get new numbers. Nothing else keeps a player for long: the ledger has a hash whose secret
  is forgotten, logs have none, and the other topics and Redis forget by themselves.
  KAFKA_BROKERS comes from the environment, or from the stack that npm start runs.
  Exit codes: 0 done, also when there is nothing of the player · 1 failed · 2 wrong use
`;
const options = { user: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } } as const;
const topic = 'dead-letters.v1';
/** As long as the topic keeps them: what is published again would begin anew. */
const keptForMs = topics[topic].retentionSec * 1000;

/**
 * Publishes the letters up to the last one that changes again, each with the time of its first recording, and deletes them where they were. Those
 * whose time is over go.
 */
const rewrite = async (
  kafka: KafkaConnection,
  letters: readonly StoredDeadLetter[],
  changed: ReadonlyMap<string, StoredDeadLetter['letter']>,
): Promise<void> => {
  const last = letters.findLast(({ id }) => changed.has(id));
  if (last === undefined) return;
  const kept = letters
    .slice(0, letters.indexOf(last) + 1)
    .filter(({ atMs }) => Date.now() - atMs < keptForMs);
  const messages = kept.map(({ id, atMs, letter, key, headers }) => ({
    ...{ topic: kafka.onCluster(topic), key, headers: { ...headers, [recordedAtHeader]: String(atMs) } },
    value: Buffer.from(JSON.stringify(toWire(changed.get(id) ?? letter))),
  }));
  await republish(kafka, messages);
  await deleteRecordsBefore(kafka, { topic, partition: last.partition, offset: BigInt(last.id) + 1n });
};

const run = async (given: Given<typeof options>): Promise<number> => {
  const user = providerUserId.safeParse(given.user).data;
  if (user === undefined) throw new Misuse('say whom: --user and the id that the game server sent');
  const access = kafkaAccess(readConfig(withKafka(z.object(kafkaSettings)), process.env));
  const kafka = connectKafka({ ...access, clientId: 'erase', log: commandLog('erase') });
  const { letters, unreadable } = await readDeadLetters(kafka);
  if (unreadable > 0)
    throw new CommandFailure(
      `${unreadable} messages on ${topic} are no dead letters that this version can read: the player may be in them, and they would be lost. Nothing is changed`,
      exitCodes.failed,
    );
  const changed = new Map(
    letters.flatMap(({ id, letter }) => {
      const without = withoutPlayer(letter, user);
      return without === undefined ? [] : [[id, without] as const];
    }),
  );
  if (!given['dry-run']) await rewrite(kafka, letters, changed);
  const done = given['dry-run'] ? 'would erase' : '✓ erased';
  print(`${done} the player from ${changed.size} of ${letters.length} dead letters`);
  return exitCodes.done;
};

runCommand({ name: 'erase', role: 'dead-letters', help, options, player: 'user', run });
