import type { PublishOptions } from '#libs/contracts/delivery.ts';
import { comesInBundles } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import { inOneCall } from '#libs/runtime/in-one-call.ts';
import { keptSpan } from '#libs/runtime/tracing.ts';
import type { ProducerRecord } from '../encode-event.ts';
import type { PartitionLeaders } from './partition-leaders.ts';

/** How many records of one tick are appended together at most. */
const mostTogether = 500;

/** Appends the record of an event, or of several with the same options, and waits until the log has them. */
export type Append = (
  name: EventName,
  records: readonly ProducerRecord[],
  options: PublishOptions,
) => Promise<void>;

/** Whether an event of this moment may wait with others: it comes in bundles, no caller has a deadline, and its trace is not kept. */
const goesWithOthers = (name: EventName, { request }: PublishOptions): boolean =>
  comesInBundles(name) && request?.deadlineMs === undefined && keptSpan() === undefined;

/**
 * Appends the record of one event. Those that one tick of the event loop brought for one partition wait for the log together where they may,
 * with one deadline and one measurement. One partition does not wait for another: its broker may be away.
 */
export const createAppendOne = (
  append: Append,
  { partitionOf }: Pick<PartitionLeaders, 'partitionOf'>,
): ((name: EventName, record: ProducerRecord, options: PublishOptions) => Promise<void>) => {
  type Asked = Readonly<{ name: EventName; record: ProducerRecord; options: PublishOptions }>;
  const together = inOneCall(
    mostTogether,
    async (_place, asked: readonly Asked[]) => {
      const [{ name, options }] = asked as [Asked];
      await append(
        name,
        asked.map(({ record }) => record),
        options,
      );
      return asked;
    },
    'tick',
  );
  return async (name, record, options) => {
    if (!goesWithOthers(name, options)) return append(name, [record], options);
    const { timeoutMs, lingers } = options;
    const place = `${name} ${partitionOf(record.topic, record)} ${timeoutMs} ${lingers}`;
    await together(place, { name, record, options });
  };
};
