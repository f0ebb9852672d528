import { unavailable } from '#libs/contracts/errors.ts';
import { currentRequestId } from '#libs/runtime/request-context.ts';
import { injectTrace } from '#libs/runtime/tracing.ts';
import { eventually } from '../../../../support/eventually.ts';
import { recordSpans } from '../../../../support/recorded-spans.ts';
import { bundleOf, dispatching, heldHandler, sessionId } from './dispatcher-harness.ts';
import type { StopHandler } from './dispatcher-harness.ts';

recordSpans();

const of = (...sessions: number[]) => sessions.map((session) => ({ session }));

test('an event that cannot even be given to its handler is a dead letter', async () => {
  const { dispatcher, dispatch, committable, dead } = dispatching(async () => undefined);
  const [message, noText] = [bundleOf(10, of(1)), { toString: 1 }];

  dispatch(Object.assign(message, { headers: { ...message.headers, traceparent: noText } }));
  await dispatcher.idle();

  expect([dead, committable()]).toEqual([[sessionId(1)], [11]]);
});

describe('a message with several events (D-39)', () => {
  test('may be committed when all of them are done', async () => {
    const { handler, begun, end } = heldHandler();
    const { dispatch, committable } = dispatching(handler);

    dispatch(bundleOf(10, of(1, 2, 3)));
    expect(begun).toEqual([1, 2, 3]);
    await end(1, 3);
    expect(committable()).toEqual([10]);
    await end(2);

    expect(committable()).toEqual([11]);
  });

  test('is held up by a slow event, which holds up nothing but its own key', async () => {
    const { handler, begun, end } = heldHandler();
    const { dispatcher, dispatch, committable } = dispatching(handler);

    dispatch(bundleOf(10, of(1, 2)), bundleOf(11, of(1, 3)));
    await end(2, 3);
    expect([begun, committable(), dispatcher.size]).toEqual([[1, 2, 3], [10], 2]);
    await end(1);
    expect([begun, committable()]).toEqual([[1, 2, 3, 1], [11]]);
    await end(1);
    await dispatcher.idle();

    expect(committable()).toEqual([12]);
  });

  test('has a dead letter of the one that fails for good, and the others are done once', async () => {
    const seen: string[] = [];
    const { dispatcher, dispatch, committable, dead } = dispatching(async ({ gameSessionId }) => {
      seen.push(gameSessionId);
      if (gameSessionId === sessionId(2)) throw new Error('for good');
    });

    dispatch(bundleOf(10, of(1, 2, 3)));
    await dispatcher.idle();

    expect(seen).toEqual([1, 2, 3, 2, 2].map(sessionId));
    expect([dead, committable()]).toEqual([[sessionId(2)], [11]]);
  });

  test('of which one waits for what is away has that one tried again alone', async () => {
    const seen: string[] = [];
    const { dispatcher, dispatch, committable, dead } = dispatching(async ({ gameSessionId }) => {
      seen.push(gameSessionId);
      if (gameSessionId === sessionId(2) && seen.length < 4) throw unavailable();
    });

    dispatch(bundleOf(10, of(1, 2, 3)));
    await dispatcher.idle();

    expect(seen).toEqual([1, 2, 3, 2].map(sessionId));
    expect([dead, committable()]).toEqual([[], [11]]);
  });

  test('that is handled as a whole may be committed when that is done', async () => {
    const seen: number[] = [];
    const together = async (events: readonly unknown[]) => void seen.push(events.length);
    const { dispatcher, dispatch, committable } = dispatching({ together });

    dispatch(bundleOf(10, of(1, 2, 3)), bundleOf(11, of(4)));
    await dispatcher.idle();

    expect([seen, committable()]).toEqual([[3, 1], [12]]);
  });

  test('that is handled as a whole stays uncommitted when what has a span of its own is cancelled', async () => {
    const traceparent = `00-${'1'.repeat(32)}-${'b'.repeat(16)}-01`;
    const together = async (events: readonly { data: { gameSessionId: string } }[]) => {
      if (events[0]?.data.gameSessionId === sessionId(2)) throw unavailable();
    };
    const { dispatcher, dispatch, committable, stop } = dispatching({ together, keepsTraces: true });

    dispatch(bundleOf(10, [{ session: 1 }, { session: 2, trace: { traceparent } }]));
    await new Promise((resolve) => setImmediate(resolve));
    stop();
    await dispatcher.idle();

    expect(committable()).toEqual([10]);
  });

  test('stays uncommitted, and in hand no more, when the dead letter of one cannot be published', async () => {
    const { dispatcher, dispatch, committable, told } = dispatching(
      async ({ gameSessionId }) => {
        if (gameSessionId === sessionId(2)) throw new Error('for good');
      },
      { letterFails: () => true },
    );

    dispatch(bundleOf(10, of(1, 2)), bundleOf(11, of(3)));
    await dispatcher.idle();

    expect(committable()).toEqual([10]);
    expect(await told('gsb_kafka_in_hand_age_seconds')).toBe(0);
  });

  test('is a dead letter as a whole when that of an event that was handled with others cannot be published', async () => {
    const together = async (events: readonly { data: { gameSessionId: string } }[]) => {
      if (events.some(({ data }) => data.gameSessionId === sessionId(2))) throw new Error('for good');
    };
    const letterFails = (key: string | undefined) => key === sessionId(2);
    const { dispatcher, dispatch, committable, dead } = dispatching({ together }, { letterFails });

    dispatch(bundleOf(10, of(1, 2)));
    await dispatcher.idle();

    expect([dead, committable()]).toEqual([['all of a message'], [11]]);
  });

  test('of a partition that was revoked begins none that waited, and is committed no more', async () => {
    const { handler, begun, end } = heldHandler();
    const { dispatcher, dispatch, committable, watermarks } = dispatching(handler);
    dispatch(bundleOf(10, of(1)), bundleOf(11, of(1, 2)));

    watermarks.assign({});
    await end(1, 2);
    await dispatcher.idle();

    expect([begun, committable()]).toEqual([[1, 2], []]);
  });

  test('stays uncommitted when one had not begun before the consumer stopped', async () => {
    const { handler, begun, end } = heldHandler();
    const { dispatcher, dispatch, committable, stop } = dispatching(handler);
    dispatch(bundleOf(10, of(1)), bundleOf(11, of(1, 2)));

    stop();
    await end(1, 2);
    await dispatcher.idle();

    expect([begun, committable()]).toEqual([[1, 2], [11]]);
  });
});

test('an event whose turn has ended lets another begin, and neither one of its key nor its offset (D-60)', async () => {
  const { handler, begun, end } = heldHandler();
  const ending: StopHandler = async (data, _, endTurn) => {
    endTurn();
    await handler(data);
  };
  const { dispatcher, dispatch, committable } = dispatching(ending, { atOnce: 1 });

  dispatch(bundleOf(10, of(1)), bundleOf(11, of(1, 2)));
  await end();
  expect([begun, committable()]).toEqual([[1, 2], [10]]);
  await end(2, 1);
  expect([begun, committable()]).toEqual([[1, 2, 1], [11]]);
  await end(1);
  await dispatcher.idle();

  expect(committable()).toEqual([12]);
});

test('each event of a message is handled with the id of its request and in its trace, kept or not', async () => {
  const seen: unknown[] = [];
  const note = async (): Promise<void> => {
    await Promise.resolve();
    seen.push([currentRequestId(), injectTrace()['traceparent']?.slice(3, 35)]);
  };
  const traceOf = (digit: string, flags: string) => `00-${digit.repeat(32)}-${'b'.repeat(16)}-${flags}`;
  const { dispatcher, dispatch } = dispatching(note);

  dispatch(
    bundleOf(10, [
      { session: 1, request: { requestId: 'r1' }, trace: { traceparent: traceOf('1', '00') } },
      { session: 2, request: { requestId: 'r2' }, trace: { traceparent: traceOf('2', '01') } },
    ]),
  );
  await dispatcher.idle();

  expect(seen).toEqual([
    ['r1', '1'.repeat(32)],
    ['r2', '2'.repeat(32)],
  ]);
});

describe('what is measured', () => {
  test('the age of a message when the last of its events begins, and none where that is cancelled', async () => {
    let nowMs = 3_000;
    const { handler, end } = heldHandler();
    const { dispatch, dispatcher, told, stop } = dispatching(handler, { clock: () => nowMs });

    dispatch(bundleOf(10, of(1)), bundleOf(11, of(1, 2)));
    nowMs = 60_000;
    await end(1, 2);
    expect(await told('gsb_kafka_event_age_seconds_sum')).toBe(2 + 59);
    dispatch(bundleOf(12, of(1)));
    stop();
    await end(1);
    await dispatcher.idle();

    expect(await told('gsb_kafka_event_age_seconds_count')).toBe(2);
  });

  test('the age of a message once, unless its topic waits on purpose', async () => {
    const [usual, waiting] = [{}, { waits: true }].map((how) => dispatching(async () => undefined, how));
    for (const { dispatch, dispatcher } of [usual!, waiting!]) {
      dispatch(bundleOf(10, of(1, 2, 3)), bundleOf(11, of(1)));
      await dispatcher.idle();
    }

    expect(await usual!.told('gsb_kafka_event_age_seconds_count')).toBe(2);
    expect(await usual!.told('gsb_kafka_event_age_seconds_sum')).toBe(4);
    expect(await usual!.told('gsb_kafka_handle_duration_seconds_count')).toBe(4);
    expect(await waiting!.told('gsb_kafka_event_age_seconds_count')).toBe(0);
  });

  test('the events in hand, and the age of those that have begun', async () => {
    const { handler, end } = heldHandler();
    const { dispatch, told } = dispatching(handler, { atOnce: 1 });

    dispatch(bundleOf(10, of(1, 2)));
    const age = () => told('gsb_kafka_in_hand_age_seconds');
    await eventually(age, (sec) => sec > 0.5, 5_000);
    expect(await told('gsb_kafka_in_hand_messages')).toBe(2);
    const from = performance.now();
    await end(1);
    expect(await told('gsb_kafka_in_hand_messages')).toBe(1);
    expect(await age()).toBeLessThanOrEqual((performance.now() - from) / 1000);
    await end(2);

    expect(await told('gsb_kafka_in_hand_messages')).toBe(0);
    expect(await age()).toBe(0);
  });
});
