import { z } from 'zod';
import { connectKafka } from '#libs/kafka/connection.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { valueIn } from '#libs/kafka/consumer/dead-letter.ts';
import { republish } from '#libs/kafka/replay/republish.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { kafkaAccess, kafkaSettings, withKafka } from '#libs/runtime/kafka-settings.ts';
import { Misuse, exitCodes, print, runCommand } from '../command-line.ts';
import type { Given } from '../command-line.ts';
import { commandLog } from '../operator.ts';
import { originalsOf } from './originals.ts';
import { readDeadLetters, selected, summary } from './read-dead-letters.ts';
import type { StoredDeadLetter } from './read-dead-letters.ts';

const help = `Messages that could not be read, or failed for good.

  npm run dead-letters -- list [--topic T] [--group G]     how many, why, and how old, by topic, group and reason
  npm run dead-letters -- show [--topic T] [--group G] [--id N]     each one, as it was
  npm run dead-letters -- replay --id N | --topic T | --group G | --all [--dry-run]
      publishes the originals again on their topics, with their headers and their time; a consumer that has handled one already
      ignores it, and what comes too late begins nothing: a request for a token makes none, an accepted token starts no billing
      only what the log still has where the letter says is published, as it stands there; any other letter is "unproven": its original is
      older than its topic keeps messages, a player was erased from it, or somebody made it up (D-70)
  npm run dead-letters -- replay --id N --unproven [--dry-run]
      publishes what this one letter says, which may be untrue: look at it by show first

  KAFKA_BROKERS comes from the environment, or from the stack that npm start runs.
  Exit codes: 0 done · 1 failed, or some could not be replayed · 2 wrong use
`;
const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = { id: text, topic: text, group: text, all: flag, unproven: flag, 'dry-run': flag } as const;

type Selected = Given<typeof options>;

const age = (atMs: number): string => {
  const sec = Math.max(0, Math.round((Date.now() - atMs) / 1000));
  if (sec < 120) return `${sec} s`;
  if (sec < 7_200) return `${Math.round(sec / 60)} min`;
  return sec < 172_800 ? `${Math.round(sec / 3_600)} h` : `${Math.round(sec / 86_400)} days`;
};

/** A text of a letter, which is anybody's, in one line: what moves a cursor, or turns a text round, is written out. */
const inLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);

/** As `inLine`, but in the lines that it has, each behind two blanks. */
const indented = (text: string): string => text.split('\n').map(inLine).join('\n  ');

const firstLine = (reason: string): string => reason.split('\n', 1)[0] ?? '';

const list = (letters: readonly StoredDeadLetter[]): void => {
  print(`${letters.length} dead letters`);
  for (const { first, last, count } of summary(letters)) {
    if (first === undefined || last === undefined) continue;
    const { topic, group, reason } = first.letter;
    const since = `oldest ${age(first.atMs)}, newest ${age(last.atMs)}, last #${last.id}`;
    print(inLine(`${count} × ${topic} → ${group} (${since}): ${firstLine(reason)}`));
  }
};

const show = (letters: readonly StoredDeadLetter[]): void => {
  for (const { id, atMs, letter } of letters) {
    const { topic, partition, offset, group, key, reason, headers } = letter;
    const place = `${topic}/${partition}@${offset}`;
    print(inLine(`#${id} ${place} → ${group}, ${age(atMs)} ago, key ${key ?? '(none)'}`));
    print(`  reason: ${indented(reason)}`);
    for (const { name, value } of headers) print(`  ${inLine(`${name}: ${value}`)}`);
    print(`  ${indented(valueIn(letter).toString('utf8'))}\n`);
  }
};

const replay = async (
  kafka: KafkaConnection,
  letters: readonly StoredDeadLetter[],
  { unproven, 'dry-run': dryRun }: Selected,
): Promise<number> => {
  const originals = await originalsOf(kafka, letters, { unproven });
  const refused = originals.flatMap((each) => ('refused' in each ? [each.refused] : []));
  const messages = originals.flatMap((each) => ('refused' in each ? [] : [each]));
  for (const why of refused) print(`✕ ${inLine(why)}`);
  if (!dryRun) await republish(kafka, messages);
  print(`${dryRun ? 'would replay' : '✓ replayed'} ${messages.length} of ${letters.length}`);
  return refused.length === 0 ? exitCodes.done : exitCodes.failed;
};

const chosen = (
  letters: readonly StoredDeadLetter[],
  { id, topic, group, all, unproven }: Selected,
): StoredDeadLetter[] => {
  if (!all && id === undefined && topic === undefined && group === undefined)
    throw new Misuse('say which: --id, --topic, --group or --all');
  if (unproven && id === undefined)
    throw new Misuse('--unproven is for one letter, looked at by show: say --id');
  const found = selected(letters, { id, topic, group });
  if (id !== undefined && found.length === 0) throw new Misuse(`there is no dead letter #${id}`);
  return found;
};

const run = async (given: Selected, positionals: readonly string[]): Promise<number> => {
  const what = positionals.join(' ');
  if (!['list', 'show', 'replay'].includes(what)) throw new Misuse('say what to do: list, show or replay');
  const access = kafkaAccess(readConfig(withKafka(z.object(kafkaSettings)), process.env));
  const kafka = connectKafka({ ...access, clientId: 'dead-letters', log: commandLog('dead-letters') });
  const { letters, unreadable } = await readDeadLetters(kafka);
  if (unreadable > 0) print(`! ${unreadable} messages on dead-letters.v1 are no dead letters`);
  if (what === 'replay') return replay(kafka, chosen(letters, given), given);
  (what === 'list' ? list : show)(selected(letters, given));
  return exitCodes.done;
};

const audited = { words: /^(list|show|replay)$/, id: /^\d{1,12}$/, topic: /^[a-z-]+\.v\d+$/ };

runCommand({
  name: 'dead-letters',
  role: 'dead-letters',
  help,
  options,
  audited,
  allowPositionals: true,
  run,
});
