import { withDeadline } from '#libs/runtime/wait.ts';

const farMs = 60_000;
const late = () => new Error('late');
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('a promise with a deadline', () => {
  test.each([
    ['resolves', () => Promise.resolve('done'), { status: 'fulfilled', value: 'done' }],
    ['rejects', () => Promise.reject(new Error('no')), { status: 'rejected', reason: new Error('no') }],
  ])('that %s in time does so, and leaves no timer behind', async (_how, work, expected) => {
    const before = timers();

    const many = Array.from({ length: 50 }, () => withDeadline(work(), farMs, late));
    const outcomes = await Promise.allSettled(many);

    expect(outcomes).toEqual(Array(50).fill(expected));
    expect(timers()).toBeLessThan(before + many.length / 2);
  });

  test.each([10, 0, -10])('that is not settled after %d ms rejects, whatever comes of it', async (ms) => {
    const { promise, reject } = Promise.withResolvers<undefined>();

    await expect(withDeadline(promise, ms, late)).rejects.toThrow('late');

    reject(new Error('nobody hears of it'));
    await expect(promise).rejects.toThrow('nobody');
  });
});
