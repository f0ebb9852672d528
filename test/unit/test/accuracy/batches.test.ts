import type { CallResult } from '#simulators/http-client.ts';
import { createBatch } from '../../../accuracy/game-batches.ts';
import type { History, HistoryLine, LineOf } from '../../../accuracy/history.ts';
import { batchLines, countBatches } from '../../../accuracy/report-batches.ts';

interface Ended {
  readonly sec: number;
}
type Send = (ids: readonly string[]) => Promise<CallResult<{ readonly results: never[] }>>;

const ok = (results: unknown[]) =>
  ({ ok: true, status: 200, requestId: 'req_1', tookMs: 1, data: { results } }) as never;
const ended = (gameSessionId: string, sec: number) => ({ gameSessionId, status: 200, data: { sec } });

/** A game server whose batches of ends are sent by `send`, and what it wrote down. */
const newServer = (send: Send) => {
  const lines: HistoryLine[] = [];
  let number = 0;
  const history = { now: () => 0, add: (line: HistoryLine) => void lines.push(line) } as unknown as History;
  const batches = { history, number: () => (number += 1), onSent: () => undefined };
  const end = createBatch<string, Ended>(batches, {
    ...{ op: 'end', send },
    read: ({ sec }) => ({ outcome: 'SUCCESS', sec }),
  });
  const said = (session: string) => end({ pc: 'pc-1', token: 1, session, body: session });
  return { said, lines };
};

describe('the batches of a game server in the accuracy run', () => {
  test('carry what is said in one moment, and each item is written down with its own answer', async () => {
    const error = { code: 'ALREADY_ENDED' };
    const { said, lines } = newServer(async ([first = '', second = '']) =>
      ok([ended(first, 7), { gameSessionId: second, status: 409, error }]),
    );

    const answers = await Promise.all(['gs_1', 'gs_2'].map((id) => said(id).answer));

    expect(answers).toEqual([
      { outcome: 'SUCCESS', unsure: false, data: { sec: 7 } },
      { outcome: 'ALREADY_ENDED', unsure: false },
    ]);
    expect(lines).toMatchObject([
      { session: 'gs_1', batch: 1, status: 200, outcome: 'SUCCESS', sec: 7 },
      { session: 'gs_2', batch: 1, status: 409, outcome: 'ALREADY_ENDED' },
    ]);
  });

  test('name a session once: who says the same again waits for the next', async () => {
    const sent: (readonly string[])[] = [];
    const { said } = newServer(async (ids) => {
      sent.push(ids);
      return ok(ids.map((id) => ended(id, 1)));
    });

    await Promise.all(['gs_1', 'gs_2', 'gs_1'].map((id) => said(id).answer));

    expect(sent).toEqual([['gs_1', 'gs_2'], ['gs_1']]);
  });

  test('leave every item unsure where nothing came back, and tell an answer to another session', async () => {
    const lost = newServer(() => Promise.reject(new Error('reset')));
    const swapped = newServer(async ([first = '', second = '']) => ok([ended(second, 1), ended(first, 1)]));

    const [nothing] = await Promise.all(['gs_1', 'gs_2'].map((id) => lost.said(id).answer));
    const [another] = await Promise.all(['gs_1', 'gs_2'].map((id) => swapped.said(id).answer));

    expect(nothing).toEqual({ outcome: 'NOTHING', unsure: true });
    expect(lost.lines).toMatchObject([{ status: 0 }, { status: 0 }]);
    expect(another).toMatchObject({ outcome: 'ITEM_OF_ANOTHER' });
  });

  test('are counted with those that raced single calls, and those that a fault cut', () => {
    const call = (at: number, session: string, more: Partial<LineOf<'call'>>) =>
      ({
        kind: 'call',
        at,
        took: 50,
        op: 'end',
        pc: 'pc-1',
        outcome: '',
        status: 200,
        session,
        ...more,
      }) as const;
    const lines: HistoryLine[] = [
      call(0, 'gs_1', { batch: 1 }),
      call(0, 'gs_2', { batch: 1 }),
      call(20, 'gs_1', {}),
      call(1_000, 'gs_3', { batch: 2, status: 0 }),
      call(1_000, 'gs_4', { batch: 2 }),
      { kind: 'fault', at: 1_010, until: 1_020, name: 'kill game-session', what: 'SIGKILL' },
      call(2_000, 'gs_5', { batch: 3, status: 503 }),
    ];

    expect(countBatches(lines)).toEqual({
      ...{ batches: 3, items: 5, largest: 2, raced: 1 },
      ...{ faultsMeanwhile: 1, cut: 1, cutItems: 1, halves: 1 },
    });
    expect(batchLines([])).toEqual([]);
  });
});
