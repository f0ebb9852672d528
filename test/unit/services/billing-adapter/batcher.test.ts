import { setImmediate } from 'node:timers/promises';
import { maxRenewals } from '#libs/contracts/partner.ts';
import { createBatcher } from '../../../../services/billing-adapter/adapters/batcher.ts';
import { usualInFlight } from '../../../../services/billing-adapter/adapters/circuit-breakers.ts';
import { until } from '../../../support/eventually.ts';

const { renew: inFlight } = usualInFlight;
const mostInHand = inFlight * maxRenewals;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, item) => item);

/** So long nobody waits here. */
const forEver = { lingerMs: 60_000 };

/** A partner that answers each call when told to, and what it is asked to renew. */
const withPartner = (linger: { lingerMs?: number } = {}) => {
  const calls: { readonly size: number; readonly answer: (_: unknown) => void }[] = [];
  const bounds = { size: maxRenewals, inFlight, ...linger };
  const renew = createBatcher(bounds, async (items: readonly number[]) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    calls.push({ size: items.length, answer: resolve });
    await promise;
    return items;
  });
  const sizes = () => calls.map(({ size }) => size);
  const answer = async (call: number) => (calls[call]?.answer(undefined), setImmediate());
  return { renewAll: (items: readonly number[]) => Promise.all(items.map(renew)), sizes, answer };
};

/** A partner that answers in the next turn. */
const wellPartner = () => {
  const sizes: number[] = [];
  const renew = createBatcher({ size: maxRenewals, inFlight }, async (items: readonly number[]) => {
    sizes.push(items.length);
    await setImmediate();
    return items;
  });
  return { renewAll: (items: readonly number[]) => Promise.all(items.map(renew)), sizes };
};

test.each([
  [1, [1]],
  [500, [500]],
  [501, [500, 1]],
  [2_000, [500, 500, 500, 500]],
  [mostInHand, numbers(inFlight).map(() => 500)],
])('of %i heartbeats of one moment none is skipped while the partner is well', async (count, calls) => {
  const { renewAll, sizes } = wellPartner();

  expect(await renewAll(numbers(count))).toEqual(numbers(count));
  expect(sizes).toEqual(calls);
});

test('heartbeats that come while renewals are in flight are collected for the next call', async () => {
  const { renewAll, sizes, answer } = withPartner(forEver);
  void renewAll([1]);
  await setImmediate();

  void renewAll([2, 3]);
  await setImmediate();
  void renewAll([4]);
  await answer(0);

  expect(sizes()).toEqual([1, 3]);
  await answer(1);
});

test('a full call waits for no other while a connection is free, and what is left for the last one only', async () => {
  const { renewAll, sizes, answer } = withPartner(forEver);
  void renewAll([0]);
  await setImmediate();

  void renewAll(numbers(mostInHand - 1));
  await setImmediate();
  const soFar = sizes();
  await answer(inFlight - 1);

  expect(soFar).toEqual([1, ...numbers(inFlight - 1).map(() => 500)]);
  expect(sizes()).toEqual([...soFar, 499]);
  for (const call of numbers(inFlight + 1)) await answer(call);
});

test('a call that is not answered holds up the next one for a quarter of a second only', async () => {
  const { renewAll, sizes, answer } = withPartner();
  void renewAll([1]);
  await setImmediate();

  const renewed = renewAll([2]);
  await until(() => sizes().length === 2, 'the second call leaves');
  await answer(1);

  expect(await renewed).toEqual([2]);
  await answer(0);
});

test('of renewals that are not answered, no more than a bounded number waits, also while they are in flight (D-27)', async () => {
  const { renewAll, sizes, answer } = withPartner();

  const inHand = renewAll(numbers(mostInHand));
  const beyond = renewAll(numbers(100));

  expect(await beyond).toEqual(numbers(100).map(() => undefined));
  await setImmediate();
  expect(sizes()).toHaveLength(inFlight);
  expect(await renewAll([1])).toEqual([undefined]);
  for (const call of numbers(inFlight)) await answer(call);
  expect(await inHand).toEqual(numbers(mostInHand));
});
