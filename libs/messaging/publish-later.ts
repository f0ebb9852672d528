import { ROOT_CONTEXT, context } from '@opentelemetry/api';
import type { Gather, GatheredEvents, Sealed } from '#libs/contracts/delivery.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { EventName } from '#libs/contracts/events.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';
import { injectKeptTrace } from '#libs/runtime/tracing.ts';

/** How long events are gathered, in ms. */
const gatherMs = 100;
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
  readonly gather: Gather;
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

/** Events of one partition that have not left, and their keys. */
interface Gathered<N extends EventName> {
  readonly keys: Set<string>;
  readonly events: GatheredEvents<N>;
}

/** Publishes events together, in the trace of none of them. Nobody waits, but at the stop. */
const createSender = <N extends EventName>(options: LaterOptions<N>) => {
  const { timeoutMs, log } = options;
  const note = createNote(options);
  const publishing = new Set<Promise<void>>();
  const failed = async (error: unknown, keys: Iterable<string>): Promise<void> => {
    if (!(error instanceof Refusal)) log.error({ error }, 'events could not be published');
    await note([...keys]);
  };
  const publish = async ({ keys, events }: Gathered<N>): Promise<void> => {
    try {
      await events.publish({ timeoutMs });
    } catch (error) {
      await failed(error, keys);
    }
  };
  const inBackground = (work: () => Promise<void>): void => {
    const done = context.with(ROOT_CONTEXT, work);
    publishing.add(done);
    void done.finally(() => publishing.delete(done));
  };
  return {
    send: (gathered: Gathered<N>): void => inBackground(() => publish(gathered)),
    /** Of an event that could not even be gathered. */
    failed: (error: unknown, key: string): void => inBackground(() => failed(error, [key])),
    /** Resolves when all is on the log, or noted as far as it can be. */
    settle: async (): Promise<void> => {
      await Promise.all(publishing);
      await note([]);
    },
  };
};

/** What is gathered of each partition until it leaves. */
const createGathering = <N extends EventName>(
  { name, gather, partitionOf, clock }: LaterOptions<N>,
  send: (gathered: Gathered<N>) => void,
) => {
  const gathered = new Map<number | undefined, Gathered<N>>();
  const leave = (those: Gathered<N>, partition: number | undefined): void => {
    gathered.delete(partition);
    send(those);
  };
  const begin = (partition: number | undefined): Gathered<N> => {
    const those = { keys: new Set<string>(), events: gather(name, partition) };
    gathered.set(partition, those);
    return those;
  };
  const leaveWhere = (partition: number | undefined, key?: string): void => {
    const those = gathered.get(partition);
    if (those && (key === undefined || those.keys.has(key))) leave(those, partition);
  };
  return {
    /** Adds an event as it came about, however much later it leaves. */
    add: (data: Sealed): void => {
      const event = { data, trace: injectKeptTrace(), atMs: clock() };
      const partition = partitionOf(name, data.key);
      // What came while no partition was known came before it.
      if (partition !== undefined) leaveWhere(undefined);
      let those = gathered.get(partition) ?? begin(partition);
      if (!those.events.add(event)) {
        leave(those, partition);
        those = begin(partition);
        those.events.add(event);
      }
      those.keys.add(data.key);
    },
    leaveBefore: (key: string): void => {
      leaveWhere(undefined, key);
      leaveWhere(partitionOf(name, key), key);
    },
    leaveAll: (): void => gathered.forEach(leave),
  };
};

/**
 * Events of one name that share messages with those of a tenth of a second and one partition, where `RequestTogether` gathers what one turn
 * of the event loop brought. What is gathered at its stop is published then; a process that dies loses it (D-62).
 */
export const createPublishLater = <N extends EventName>(options: LaterOptions<N>): LaterPublisher => {
  const { send, failed, settle } = createSender(options);
  const { add, leaveBefore, leaveAll } = createGathering(options, send);
  let timer: NodeJS.Timeout | undefined;
  const leaveNow = (): void => {
    clearTimeout(timer);
    timer = undefined;
    leaveAll();
  };
  return {
    name: 'events for which nobody waits',
    start: async () => undefined,
    stop: async () => {
      leaveNow();
      await settle();
    },
    flushes: true,
    publishLater: (data) => {
      timer ??= setTimeout(leaveNow, gatherMs);
      try {
        add(data);
      } catch (error) {
        failed(error, data.key);
      }
    },
    leaveBefore,
  };
};
