import { SpanKind, context, trace } from '@opentelemetry/api';
import type { Publish, Sealed } from '#libs/contracts/delivery.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import type { Publisher } from '#libs/kafka/producer/publisher.ts';
import type { LaterPublisher } from '#libs/messaging/publish-later.ts';
import type { RequestTogether } from '#libs/messaging/request-together.ts';
import { countAllEvents, countEvents } from '#libs/runtime/count-events.ts';
import type { EventCounts } from '#libs/runtime/count-events.ts';
import {
  extractTrace,
  inSpan,
  injectTrace,
  isKeptTrace,
  keptSpan,
  linkRunning,
} from '#libs/runtime/tracing.ts';
import { settleAll } from '#libs/runtime/wait.ts';
import type { Session } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/** The W3C trace that the running code is part of. */
export const currentTrace = (): string | null => injectTrace()['traceparent'] ?? null;

const traceOf = <N extends EventName>(name: N, data: EventData<N>): string | null =>
  name === 'game-session.ending' && 'session' in data ? data.session.traceparent : null;

/** Publishes the end of a session in the trace of the verify that began it, linked to the trace that ended it: one trace leads from verify to ledger (D-22). */
export const inSessionTrace =
  (publish: Publish): Publish =>
  (name, data, options) => {
    const traceparent = traceOf(name, data);
    if (traceparent === null) return publish(name, data, options);
    const ended = trace.getActiveSpan()?.spanContext();
    const links = ended ? [{ context: ended }] : [];
    const parent = extractTrace({ traceparent }, context.active());
    return inSpan('end of play', { kind: SpanKind.INTERNAL, parent, links }, () =>
      publish(name, data, options),
    );
  };

/** What publishes many events, by partition. */
type Publishing = Pick<Publisher, 'publishAll' | 'partitionOf'>;

/**
 * As `inSessionTrace`, for the ends of many: those of one partition together, since another one's broker may be away, and each whose trace is
 * kept alone, in a span of it; all alone where one of them cannot be published for good.
 */
const allInSessionTrace =
  (publish: Publish, { publishAll, partitionOf }: Publishing): Ports['publishSessions'] =>
  async (name, sessions) => {
    const alone = (some: readonly Session[]) => some.map((session) => publish(name, { session }));
    const together = async (some: readonly Session[]): Promise<void> => {
      const all = some.map((session) => {
        const { traceparent } = session;
        return { data: { session }, trace: traceparent === null ? {} : { traceparent } };
      });
      try {
        await publishAll(name, all);
      } catch (error) {
        if (error instanceof Refusal) throw error;
        await settleAll(alone(some));
      }
    };
    const isKept = ({ traceparent }: Session): boolean => isKeptTrace(traceparent);
    const others = sessions.filter((session) => !isKept(session));
    const byPartition = Map.groupBy(others, ({ gameSessionId }) => partitionOf(name, gameSessionId));
    await settleAll([...[...byPartition.values()].map(together), ...alone(sessions.filter(isKept))]);
  };

/** Publishes events of sessions: each end in its session's trace, and counted when the log has it. */
export const sessionEvents = (
  publisher: Publishing & Pick<Publisher, 'publish'>,
  counts: EventCounts,
): Pick<Ports, 'publish' | 'publishSessions'> => {
  const publish = inSessionTrace(countEvents(publisher.publish, counts));
  const publishAll = countAllEvents(publisher.publishAll, counts);
  return {
    publish,
    publishSessions: allInSessionTrace(publish, { publishAll, partitionOf: publisher.partitionOf }),
  };
};

const traceOfSealed = (session: string): string | null =>
  (JSON.parse(session) as { session: { traceparent: string | null } }).session.traceparent;

/** A heartbeat is a trace of its own, linked to the one of its session's verify. */
const linkToSession = ({ json }: Sealed): void => {
  if (keptSpan() !== undefined) linkRunning(traceOfSealed(json));
};

/** Publishes heartbeats, waited for or not, each in its trace; those of a session in the order in which they came. */
export const linkedToSession = (
  requestTogether: RequestTogether,
  { publishLater, leaveBefore }: Pick<LaterPublisher, 'publishLater' | 'leaveBefore'>,
): Pick<Ports, 'requestTogether' | 'publishHeartbeatLater'> => ({
  requestTogether: (name, data, options) => {
    linkToSession(data);
    leaveBefore(data.key);
    return requestTogether(name, data, options);
  },
  publishHeartbeatLater: (data) => {
    linkToSession(data);
    publishLater(data);
  },
});
