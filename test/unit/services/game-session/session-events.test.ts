import type { Outgoing } from '#libs/contracts/delivery.ts';
import { unavailable } from '#libs/contracts/errors.ts';
import { sessionEvents } from '../../../../services/game-session/adapters/session-trace.ts';
import type { Session } from '../../../../services/game-session/core/session.ts';
import { syntheticSession } from '../../../support/synthetic-session.ts';

const dropped = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
const kept = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const ended = (traceparent: string | null): Session => ({
  ...syntheticSession('cafe-1', 0),
  ...{ state: 'ending', endReason: 'silence', endedAtMs: 60_000, playDurationSec: 60, traceparent },
});

/** A log whose partition of a key is told by `partitions`, and which refuses as `refuse` says. */
const log = (
  partitions: ReadonlyMap<string, number>,
  refuse: (ids: readonly string[]) => Error | undefined,
) => {
  const appended: string[][] = [];
  const counted: string[] = [];
  const traces: unknown[] = [];
  const take = (ids: string[]): void => {
    const refusal = refuse(ids);
    if (refusal) throw refusal;
    appended.push(ids);
  };
  const idOf = (data: { readonly session: Session } | Outgoing<'game-session.ending'>['data']) =>
    'session' in data ? data.session.gameSessionId : data.key;
  const publisher = {
    publish: async (_name: string, data: { session: Session }) => take([idOf(data)]),
    publishAll: async (_name: string, all: readonly Outgoing<'game-session.ending'>[]) => {
      take(all.map(({ data }) => idOf(data)));
      traces.push(...all.map(({ trace }) => trace));
    },
    partitionOf: (_name: string, key: string) => partitions.get(key),
  };
  const counts = {
    'game-session.ending': ({ session }: { session: Session }) => void counted.push(session.gameSessionId),
  };
  return { ...sessionEvents(publisher as never, counts), appended, counted, traces };
};

const [first, second, third] = [ended(null), ended(dropped), ended(dropped)];
const idsOf = (...sessions: Session[]) => sessions.map(({ gameSessionId }) => gameSessionId);
const partitions = new Map([first, second, third].map(({ gameSessionId }, at) => [gameSessionId, at % 2]));

describe('the ends of many', () => {
  test('are appended together for each partition, in the traces of their sessions; one whose trace is kept alone (D-22)', async () => {
    const traced = ended(kept);
    const { publishSessions, appended, counted, traces } = log(partitions, () => undefined);
    await publishSessions('game-session.ending', [first, second, third, traced]);

    expect(appended.toSorted()).toEqual([idsOf(first, third), idsOf(second), idsOf(traced)].toSorted());
    expect(traces).toEqual([{}, { traceparent: dropped }, { traceparent: dropped }]);
    expect(new Set(counted)).toEqual(new Set(idsOf(first, second, third, traced)));
  });

  test('of a partition whose broker is away keep nobody else from the log, nor from being counted', async () => {
    const { publishSessions, counted } = log(partitions, (ids) =>
      ids.includes(first.gameSessionId) ? unavailable() : undefined,
    );
    const publishing = publishSessions('game-session.ending', [first, second, third]);

    await expect(publishing).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(counted).toEqual(idsOf(second));
  });

  test('are published alone where one of them cannot be published for good', async () => {
    const { publishSessions, appended } = log(partitions, (ids) =>
      ids.includes(first.gameSessionId) ? new Error('too large') : undefined,
    );
    const publishing = publishSessions('game-session.ending', [first, second, third]);

    await expect(publishing).rejects.toThrow('too large');
    expect(new Set(appended.flat())).toEqual(new Set(idsOf(second, third)));
  });
});
