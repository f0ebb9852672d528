import { createPerKeyQueue } from '#libs/kafka/consumer/per-key-queue.ts';

/** A queue, what of it has begun, and how each task is ended. */
const observed = () => {
  const sizes: number[] = [];
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const queue = createPerKeyQueue((size) => sizes.push(size));
  const add = (name: string, ...keys: string[]): void =>
    queue.add(keys, () => {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, sizes, begun, add, end };
};

test('tasks of one key have their turns one after another, and hold up no other key', async () => {
  const { begun, add, end } = observed();

  add('a1', 'a');
  add('a2', 'a');
  add('b1', 'b');
  expect(begun).toEqual(['a1', 'b1']);
  await end('a1');

  expect(begun).toEqual(['a1', 'b1', 'a2']);
});

test('a task of several keys waits for all of them, and one that comes twice counts once', async () => {
  const { queue, sizes, begun, add, end } = observed();

  add('a1', 'a');
  add('both', 'a', 'b', 'a');
  add('b2', 'b');
  expect([begun, queue.size]).toEqual([['a1'], 4]);
  await end('a1');
  expect(begun).toEqual(['a1', 'both']);
  await end('both');
  await end('b2');
  await queue.idle();

  expect([begun, sizes]).toEqual([
    ['a1', 'both', 'b2'],
    [3, 1, 0],
  ]);
});
