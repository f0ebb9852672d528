import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { eventNameOf } from '#libs/kafka/fetched-message.ts';
import type { FetchedMessage } from '#libs/kafka/fetched-message.ts';
import { withLogReader } from '#libs/kafka/replay/log-reader.ts';
import { readPartnerLedger, readSettledSession } from '#simulators/read-ledgers.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import type { LineOf } from './history.ts';
import { createReading } from './what-the-log-says.ts';

const atOnce = 20;

/** The partner's ledger, as it stands. */
export const readPartner = async ({ partner }: StackFacts): Promise<LineOf<'partner'>[]> => {
  const billings = await readPartnerLedger(partner.url);
  return billings.map(
    ({ billing_id: id, provider_user_id: user, status, play_duration_sec: sec, requests }) => ({
      ...{ kind: 'partner', id, user, status, sec },
      ...{ starts: requests.start, stops: requests.stop },
    }),
  );
};

const readEntry = async (
  { settlement }: StackFacts,
  id: string,
  beganAt: number,
): Promise<LineOf<'settled'> | undefined> => {
  const entry = await readSettledSession(settlement, id).catch(() => undefined);
  if (entry === undefined) return undefined;
  const { pcId: pc, startedAt, endedAt, endReason: reason, playDurationSec: sec } = entry;
  const { clientPlayDurationSec: client, partnerPlayDurationSec: partner } = entry;
  const [began, ended] = [Date.parse(startedAt) - beganAt, Date.parse(endedAt) - beganAt];
  return { kind: 'settled', id, pc, began, ended, reason, sec, client, partner };
};

/** What settlement says of these sessions; those it does not know are left out. */
export const readSettlement = async (
  stack: StackFacts,
  ids: readonly string[],
  beganAt: number,
): Promise<LineOf<'settled'>[]> => {
  const entries: LineOf<'settled'>[] = [];
  const waiting = [...ids];
  const work = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const entry = await readEntry(stack, id, beganAt);
      if (entry) entries.push(entry);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return entries;
};

/** In this order, because a heartbeat is compared with what else is said of its session. */
const topics = [
  ...(['game-sessions.v1', 'game-session-changes.v1', 'heartbeats.v1'] as const),
  ...(['billing.v1', 'dead-letters.v1'] as const),
];

/** What the log says of every session, how many messages became dead letters, and how many were bundles. */
export const readLog = async (
  kafka: KafkaConnection,
): Promise<(LineOf<'log'> | LineOf<'dead'> | LineOf<'bundles'>)[]> => {
  const reading = createReading();
  const eventsAt = new Map<string, number>();
  const note = (messages: readonly FetchedMessage[]): void => {
    for (const { topic, partition, message } of messages) {
      const place = `${topic} ${partition} ${message.offset}`;
      eventsAt.set(place, (eventsAt.get(place) ?? 0) + 1);
      reading.note(eventNameOf(message), JSON.parse(message.value?.toString() ?? 'null'));
    }
  };
  for (const topic of topics)
    await withLogReader({ kafka, topics: [topic] }, async (log) => log.read(await log.rangesSince(0), note));
  const bundles = [...eventsAt.values()].filter((events) => events > 1);
  const events = bundles.reduce((sum, each) => sum + each, 0);
  return [...reading.lines(), { kind: 'bundles', messages: bundles.length, events }];
};
