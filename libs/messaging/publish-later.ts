import { ROOT_CONTEXT, context } from '@opentelemetry/api';
import type { Outgoing, PublishAll, Sealed } from '#libs/contracts/delivery.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { EventName } from '#libs/contracts/events.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Log } from '#libs/runtime/log.ts';
import { currentRequestId } from '#libs/runtime/request-context.ts';
import type { Component } from '#libs/runtime/service.ts';
import { injectKeptTrace } from '#libs/runtime/tracing.ts';

/** How long events are gathered, in ms. */
const gatherMs = 100;
/** As many of a partition leave at once: what one message carries at most (D-39). */
const mostTogether = 500;
/** So many keys are remembered at most that could not be noted. */
const mostUnnoted = 20_000;
/** When that is tried again, in ms. */
const noteAgainMs = 1_000;

/** Publishes events for which nobody waits. */
export interface LaterPublisher extends Component {
  publishLater(event: Sealed): void;
  /** What is gathered of a key leaves now, before what is published next of it. */
  leaveBefore(key: string): void;
}

interface LaterOptions<N extends EventName> {
  readonly name: N;
  readonly publishAll: PublishAll;
  /** Events of other partitions do not wait for each other: their brokers may be away. */
  readonly partitionOf: (name: N, key: string) => number | undefined;
  /** How long the log may take, in ms. */
  readonly timeoutMs: number;
  /** Notes the key of an event that the log did not take. */
  readonly onRefused: (key: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Has the keys noted whose events the log refused; those for which that fails soon again, or with the next ones. */
const createNote = <N extends EventName>({ onRefused, log }: LaterOptions<N>) => {
  const unnoted = new Set<string>();
  let forgotten = 0;
  let timer: NodeJS.Timeout | undefined;
  const noteOne = async (key: string): Promise<void> => {
    try {
      await onRefused(key);
    } catch {
      if (unnoted.size < mostUnnoted) unnoted.add(key);
      else forgotten += 1;
    }
  };
  const note = async (refused: readonly string[]): Promise<void> => {
    const keys = new Set([...unnoted, ...refused]);
    unnoted.clear();
    await Promise.all([...keys].map(noteOne));
    if (forgotten > 0)
      log.error({ count: forgotten }, 'events are neither on the log nor noted, and are forgotten');
    forgotten = 0;
    if (unnoted.size === 0) return;
    log.warn({ count: unnoted.size }, 'events are neither on the log nor noted yet');
    clearTimeout(timer);
    timer = setTimeout(() => void note([]), noteAgainMs).unref();
  };
  return note;
};

/** Publishes events together, in the trace of none of them. Nobody waits, but at the stop. */
const createSender = <N extends EventName>(options: LaterOptions<N>) => {
  const { name, publishAll, timeoutMs, log } = options;
  const note = createNote(options);
  const publishing = new Set<Promise<void>>();
  const publish = async (events: readonly Outgoing<N>[]): Promise<void> => {
    const refused: string[] = [];
    try {
      await publishAll(name, events, { timeoutMs });
    } catch (error) {
      if (!(error instanceof Refusal)) log.error({ error }, 'events could not be published');
      for (const { data } of events) refused.push((data as Sealed).key);
    }
    if (refused.length > 0) await note(refused);
  };
  return {
    send: (events: readonly Outgoing<N>[]): void => {
      const sent = context.with(ROOT_CONTEXT, () => publish(events));
      publishing.add(sent);
      void sent.finally(() => publishing.delete(sent));
    },
    /** Resolves when all is on the log, or noted as far as it can be. */
    settle: async (): Promise<void> => {
      await Promise.all(publishing);
      await note([]);
    },
  };
};

/** Events of one partition that have not left, and their keys. */
interface Gathered<N extends EventName> {
  readonly keys: Set<string>;
  readonly events: Outgoing<N>[];
}

/** An event as it came about, however much later it leaves. */
const asItCame = (data: Sealed, atMs: number) => {
  const requestId = currentRequestId();
  const request = requestId === undefined ? undefined : { requestId };
  return { data, request, trace: injectKeptTrace(), atMs };
};

/**
 * Events of one name that share messages with those of a tenth of a second and one partition, where `RequestTogether` gathers what one turn
 * of the event loop brought. What is gathered at its stop is published then; a process that dies loses it (D-62).
 */
export const createPublishLater = <N extends EventName>(options: LaterOptions<N>): LaterPublisher => {
  const { name, partitionOf, clock } = options;
  const { send, settle } = createSender(options);
  let gathered = new Map<number | undefined, Gathered<N>>();
  let timer: NodeJS.Timeout | undefined;
  const leave = ({ events }: Gathered<N>, partition: number | undefined): void => {
    gathered.delete(partition);
    send(events);
  };
  const leaveAll = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const all = gathered;
    gathered = new Map();
    for (const { events } of all.values()) send(events);
  };
  return {
    name: 'events for which nobody waits',
    start: async () => undefined,
    stop: async () => {
      leaveAll();
      await settle();
    },
    flushes: true,
    publishLater: (data) => {
      const partition = partitionOf(name, data.key);
      const those = gathered.get(partition) ?? { keys: new Set(), events: [] };
      gathered.set(partition, those);
      timer ??= setTimeout(leaveAll, gatherMs);
      those.keys.add(data.key);
      if (those.events.push(asItCame(data, clock())) === mostTogether) leave(those, partition);
    },
    leaveBefore: (key) => {
      const partition = partitionOf(name, key);
      const those = gathered.get(partition);
      if (those?.keys.has(key)) leave(those, partition);
    },
  };
};
