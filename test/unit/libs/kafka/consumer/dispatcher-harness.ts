import type { Batch, KafkaMessage } from 'kafkajs';
import type { Outgoing } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { messagesOf } from '#libs/kafka/bundle.ts';
import { createDispatcher } from '#libs/kafka/consumer/dispatcher.ts';
import { createEventHandler, isForBundles } from '#libs/kafka/consumer/event-handler.ts';
import type { Handlers } from '#libs/kafka/consumer/event-handler.ts';
import { createWatermarks } from '#libs/kafka/consumer/watermarks.ts';
import { encodeEvent } from '#libs/kafka/encode-event.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';

export const topic = 'billing.v1';
export const sessionId = (digit: number): string =>
  `gs_${String(digit).repeat(8)}-0000-4000-8000-000000000000`;

type Stopped = Omit<Outgoing<'billing.stopped'>, 'data'> & { readonly session: number };

/** A message as it is fetched, with an event of each session; its timestamp is 1 s. */
export const bundleOf = (offset: number, stopped: readonly Stopped[]): KafkaMessage => {
  const encoded = stopped.map(({ session, ...more }) => {
    const data = { gameSessionId: sessionId(session), partnerPlayDurationSec: 1 };
    return encodeEvent(
      'billing.stopped',
      { data, trace: {}, ...more },
      { source: '/gsb/test', nowMs: 1_000 },
    );
  });
  const [message] = [...messagesOf(encoded, () => 0).keys()];
  const headers = Object.entries(message!.headers ?? {});
  return {
    key: message!.key === null ? null : Buffer.from(String(message!.key)),
    value: Buffer.from(String(message!.value)),
    headers: Object.fromEntries(headers.map(([name, text]) => [name, Buffer.from(String(text))])),
    ...{ offset: String(offset), timestamp: '1000', attributes: 0 },
  };
};

type AnyStopHandler = NonNullable<Handlers['billing.stopped']>;
/** A handler of each event alone. */
export type StopHandler = Extract<AnyStopHandler, (...given: never) => unknown>;

/** A dispatcher with all that is behind it, what it has published as dead letters, and what may be committed. */
export const dispatching = (
  handler: AnyStopHandler,
  {
    atOnce = Infinity,
    waits = false,
    letterFails = (_key: string | undefined): boolean => false,
    clock = (): number => 3_000,
  } = {},
) => {
  const dead: unknown[] = [];
  const deadLetterQueue = async (fetched: { message: KafkaMessage }): Promise<void> => {
    const key = fetched.message.key?.toString();
    if (letterFails(key)) throw new Error('not published');
    dead.push(key ?? 'all of a message');
  };
  const [stopped, watermarks, metrics] = [new AbortController(), createWatermarks(), createMetrics('test')];
  const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);
  const common = { metrics, log, clock, group: 'test', watermarks, stopped: stopped.signal };
  const handlers = { 'billing.stopped': handler };
  const handle = createEventHandler({ handlers, deadLetterQueue, metrics, log, stopping: stopped.signal });
  const dispatcher = createDispatcher({
    ...common,
    ...{
      handle,
      deadLetterQueue,
      names: new Set(Object.keys(handlers)),
      together: new Set(isForBundles(handler) ? ['billing.stopped'] : []),
      lanes: [{ topics: [topic], atOnce }],
    },
    waiting: new Set(waits ? [topic] : []),
    consumer: { pause: () => undefined, resume: () => undefined },
  });
  const dispatch = (...messages: KafkaMessage[]): void =>
    dispatcher.dispatch({ topic, partition: 0, messages } as unknown as Batch);
  const committable = () => watermarks.uncommitted().map(({ offset }) => Number(offset));
  const told = async (name: string): Promise<number> => {
    const line = (await metrics.text()).split('\n').find((each) => each.startsWith(`${name}{`));
    return Number(line?.slice(line.lastIndexOf(' ') + 1) ?? 0);
  };
  const stop = (): void => stopped.abort();
  return { dispatcher, dispatch, committable, dead, watermarks, told, stop };
};

/** A handler of which each session's event is done when it is told to be. */
export const heldHandler = () => {
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  const handler = ({ gameSessionId }: EventData<'billing.stopped'>): Promise<void> => {
    const session = Number(gameSessionId[3]);
    begun.push(session);
    return new Promise((resolve) => ends.set(session, resolve));
  };
  const end = async (...sessions: number[]): Promise<void> => {
    for (const session of sessions) ends.get(session)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { handler, begun, end };
};
