import { jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT_CONTEXT, context, propagation } from '@opentelemetry/api';
import type { Gather } from '#libs/contracts/delivery.ts';
import { unavailable } from '#libs/contracts/errors.ts';
import { createPublishLater } from '#libs/messaging/publish-later.ts';
import { carryTraces } from '#libs/runtime/carry-traces.ts';
import type { Log } from '#libs/runtime/log.ts';
import { currentRequestId, withRequestId } from '#libs/runtime/request-context.ts';
import { extractTrace } from '#libs/runtime/tracing.ts';
import { ownTimeouts } from '../../../support/own-timeouts.ts';

/** Events whose partition is the first letter of their key; the log takes none of those that `refuses` names. */
const world = ({ refuses = '', throws = '' } = {}) => {
  const published: string[][] = [];
  const came: unknown[] = [];
  const knows = { partitions: true };
  const refused: string[] = [];
  const warnings: unknown[] = [];
  const notesFail = { of: '' };
  const gather: Gather = () => {
    const keys: string[] = [];
    return {
      add: ({ data, trace, atMs }) => {
        const key = 'json' in data ? data.key : '';
        if (key === throws) throw new Error('it cannot be encoded');
        came.push({ key, trace, atMs, requestId: currentRequestId() });
        return keys.length < 500 && keys.push(key) > 0;
      },
      publish: async () => {
        if (keys.some((key) => key.startsWith(refuses || '-'))) throw unavailable();
        published.push(keys);
      },
    };
  };
  const later = createPublishLater({
    ...({ name: 'game-session.heartbeat', timeoutMs: 1_000, gather } as const),
    partitionOf: (_name, key) => (knows.partitions ? key.charCodeAt(0) : undefined),
    onRefused: async (key) => {
      if (key === notesFail.of) throw unavailable();
      refused.push(key);
    },
    clock: () => 7,
    log: { warn: (fields: unknown) => warnings.push(fields), error: () => undefined } as unknown as Log,
  });
  const say = (...keys: string[]) => keys.forEach((key) => later.publishLater({ key, json: '{}' }));
  return { published, came, knows, refused, warnings, notesFail, later, say };
};

afterEach(() => void jest.useRealTimers());

describe('what nobody waits for', () => {
  test('shares a message with those of its partition that come within a tenth of a second', async () => {
    const { published, later, say } = world();
    ownTimeouts();
    say('a1', 'b1');
    await new Promise((resolve) => setImmediate(resolve));
    say('a2');
    expect(published).toEqual([]);

    await later.stop();

    expect(published).toEqual([['a1', 'a2'], ['b1']]);
  });

  test('leaves after a tenth of a second by itself', async () => {
    const { published, say } = world();
    say('a1');

    while (published.length === 0) await sleep(5);

    expect(published).toEqual([['a1']]);
  });

  test('leaves at once when there is no more room in its message', async () => {
    const { published, later, say } = world();

    say(...Array.from({ length: 501 }, (_, index) => `a${index}`));

    expect(published.map(({ length }) => length)).toEqual([500]);
    later.leaveBefore('a500');
    expect(published.at(-1)).toEqual(['a500']);
  });

  test('is noted where the log does not take it, and the others are on the log', async () => {
    const { published, refused, later, say } = world({ refuses: 'b' });
    say('a1', 'b1', 'b2');

    await later.stop();

    expect({ published, refused }).toEqual({ published: [['a1']], refused: ['b1', 'b2'] });
  });

  test('is noted again at its stop where the note failed, and the others are not', async () => {
    const { refused, warnings, notesFail, later, say } = world({ refuses: 'b' });
    notesFail.of = 'b1';
    say('b1', 'b2');
    await later.stop();
    expect(warnings).toContainEqual({ count: 1 });

    notesFail.of = '';
    await later.stop();

    expect(refused).toEqual(['b2', 'b1']);
  });

  test('leaves as it came about: with its instant, its request and its trace', async () => {
    const { came, later, say } = world();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    carryTraces();

    context.with(withRequestId('req_1', extractTrace({ traceparent })), () => say('a1'));
    context.with(withRequestId('req_2', ROOT_CONTEXT), () => say('a2'));
    await later.stop();

    expect(came).toEqual([
      { key: 'a1', trace: { traceparent }, atMs: 7, requestId: 'req_1' },
      { key: 'a2', trace: {}, atMs: 7, requestId: 'req_2' },
    ]);
    context.disable();
    propagation.disable();
  });

  test('is noted where it cannot even be gathered, and the others are on the log', async () => {
    const { published, refused, later, say } = world({ throws: 'a2' });
    say('a1', 'a2', 'a3');

    await later.stop();

    expect({ published, refused }).toEqual({ published: [['a1', 'a3']], refused: ['a2'] });
  });

  test('leaves before what is gathered or published after its partition became known', async () => {
    const { published, knows, later, say } = world();
    knows.partitions = false;
    say('a1', 'b1');
    knows.partitions = true;

    say('a2');
    expect(published).toEqual([['a1', 'b1']]);
    await later.stop();
    knows.partitions = false;
    say('b2');
    knows.partitions = true;
    later.leaveBefore('b2');

    expect(published).toEqual([['a1', 'b1'], ['a2'], ['b2']]);
  });

  test('leaves before what is published next of its key, and stays before that of others', async () => {
    const { published, later, say } = world();
    say('a1', 'b1');

    later.leaveBefore('a2');
    expect(published).toEqual([]);
    later.leaveBefore('a1');

    expect(published).toEqual([['a1']]);
  });
});
