import { context } from '@opentelemetry/api';
import { events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import type { Publisher } from '#libs/kafka/producer/publisher.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { LogFields } from '#libs/runtime/log-fields.ts';
import { extractTrace } from '#libs/runtime/tracing.ts';

/** What changes no state, what comes as often as players beat, and what has a line of its own. */
const unlogged: ReadonlySet<EventName> = new Set([
  ...(['cafe-check.requested', 'cafe-check.answered', 'ott.requested', 'ott.presented'] as const),
  ...(['game-session.heartbeat', 'billing.renewed', 'billing.unknown'] as const),
  ...(['billing-retry.scheduled', 'dead-letter.recorded'] as const),
]);

// prettier-ignore
const told = [
  'cafeId', 'endReason', 'gameId', 'gameSessionId', 'launcherSessionId', 'outcome', 'pcId', 'playDurationSec', 'reason', 'state',
] as const satisfies readonly (keyof LogFields)[];

type Data = Readonly<Record<string, unknown>>;
const within = (data: Data, name: string): Data => (data[name] ?? {}) as Data;

/** The ids of what an event is about, wherever its data has them. No player. */
const fieldsOf = (data: Data): LogFields => {
  const ott = within(data, 'ott');
  const places = [data, within(data, 'session'), within(data, 'order'), ott, within(ott, 'claim')];
  const fields: Partial<Record<keyof LogFields, unknown>> = {};
  for (const name of told) fields[name] = places.find((place) => place[name] !== undefined)?.[name];
  return fields;
};

/** Publishes, and writes a line for each change of state that the log has taken, with the ids of the request and trace that made it. */
export const logEvents = <P extends Publisher>(publisher: P, log: Log): P => {
  const write = (name: EventName, data: Data): void =>
    log.info({ event: name, ...fieldsOf(data) }, events[name].summary);
  const { publish, publishAll }: Publisher = publisher;
  return {
    ...publisher,
    publish: async (name, data, options) => {
      await publish(name, data, options);
      if (!unlogged.has(name)) write(name, data);
    },
    publishAll: async (name, all, options) => {
      await publishAll(name, all, options);
      if (unlogged.has(name)) return;
      for (const { data, trace } of all) {
        const within = trace ? extractTrace(trace, context.active()) : context.active();
        context.with(within, () => write(name, data as Data));
      }
    },
  };
};
