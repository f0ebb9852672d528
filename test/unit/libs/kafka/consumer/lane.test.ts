import { createLane } from '#libs/kafka/consumer/lane.ts';

/** A lane of one topic, tasks that end when they are told to, and what was paused. */
const laneOf = (atOnce: number) => {
  const fetching: string[] = [];
  const running: (() => void)[] = [];
  let most = 0;
  let begun = 0;
  const lane = createLane({
    topics: ['stops'],
    atOnce,
    consumer: {
      pause: (topics) => void fetching.push(`pause ${topics.join()}`),
      resume: (topics) => void fetching.push(`resume ${topics.join()}`),
    },
  });
  const add = (count: number): void => {
    for (let at = 0; at < count; at += 1)
      lane.add([`key ${begun}.${at}`], async () => {
        begun += 1;
        await new Promise<void>((resolve) => running.push(resolve));
      });
    lane.added();
  };
  /** Ends tasks that run until so many have ended. */
  const end = async (count: number): Promise<void> => {
    for (let ended = 0; ended < count; ended += 1) {
      most = Math.max(most, running.length);
      running.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { lane, fetching, add, end, running, most: () => most, begun: () => begun };
};

describe('a lane of topics (D-60)', () => {
  test('runs so many tasks at once, and all of them in the end', async () => {
    const { lane, add, end, most, begun } = laneOf(3);

    add(10);
    await end(10);
    await lane.idle();

    expect(most()).toBe(3);
    expect(begun()).toBe(10);
  });

  test('gives the turn of a task to another when the task says so, and has both in hand', async () => {
    const { lane } = laneOf(1);
    const begun: string[] = [];
    const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
    for (const key of ['a', 'b'])
      lane.add([key], async (endTurn) => {
        begun.push(key);
        endTurn();
        await ended;
      });

    await new Promise((resolve) => setImmediate(resolve));
    expect([begun, lane.size]).toEqual([['a', 'b'], 2]);
    end(undefined);
    await lane.idle();

    expect(lane.size).toBe(0);
  });

  test('is not fetched while more than two thousand wait, and is again when half of them are done', async () => {
    const { fetching, add, end } = laneOf(8);

    add(2_001);
    expect(fetching).toEqual(['pause stops']);
    await end(1_001);
    expect(fetching).toEqual(['pause stops']);
    await end(1);

    expect(fetching).toEqual(['pause stops', 'resume stops']);
  });

  test('that is not fetched stays so after another assignment, which resumes all partitions', () => {
    const { lane, fetching, add } = laneOf(8);

    lane.reassigned();
    add(2_001);
    lane.reassigned();

    expect(fetching).toEqual(['pause stops', 'pause stops']);
  });
});
