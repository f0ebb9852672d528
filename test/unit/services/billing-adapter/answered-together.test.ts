import { setImmediate } from 'node:timers/promises';
import { createAnsweredTogether } from '../../../../services/billing-adapter/adapters/answered-together.ts';

/** Calls of a partner in a time of their own (ms). `wentOn`: whose caller has gone on, in that order. */
const callsOfAPartner = () => {
  let nowMs = 0;
  const timers: { readonly atMs: number; readonly ring: () => void }[] = [];
  const pause = (ms: number) => new Promise<void>((ring) => timers.push({ atMs: nowMs + ms, ring }));
  const together = createAnsweredTogether({ now: () => nowMs, pause });
  const answers = new Map<string, PromiseWithResolvers<string>>();
  const wentOn: string[] = [];
  const call = (name: string): void => {
    const answer = Promise.withResolvers<string>();
    answers.set(name, answer);
    void together(() => answer.promise).then(
      () => wentOn.push(name),
      () => wentOn.push(`${name} failed`),
    );
  };
  const passUntil = async (untilMs: number) => {
    nowMs = untilMs;
    for (const { ring } of timers.filter(({ atMs }) => atMs <= untilMs)) ring();
    await setImmediate();
  };
  const answer = async (name: string) => {
    answers.get(name)!.resolve(name);
    await setImmediate();
  };
  const fail = async (name: string) => {
    answers.get(name)!.reject(new Error('no answer'));
    await setImmediate();
  };
  return { call, answer, fail, passUntil, wentOn };
};

test('a call alone goes on as soon as it is answered (D-56)', async () => {
  const { call, answer, wentOn } = callsOfAPartner();
  call('a');
  await answer('a');
  expect(wentOn).toEqual(['a']);
});

test('calls that begin together go on together, when the last of them is answered (D-56)', async () => {
  const { call, answer, passUntil, wentOn } = callsOfAPartner();
  call('a');
  call('b');
  await passUntil(15);
  call('c');
  await answer('b');
  await answer('a');
  expect(wentOn).toEqual([]);
  await answer('c');
  expect(wentOn).toEqual(['b', 'a', 'c']);
});

test('what is answered waits at most 32 ms from the first answer on, however many answers come meanwhile', async () => {
  const { call, answer, passUntil, wentOn } = callsOfAPartner();
  for (const name of ['a', 'b', 'c', 'silent']) call(name);
  await passUntil(1_000);
  await answer('a');
  await passUntil(1_020);
  await answer('b');
  await passUntil(1_031);
  await answer('c');
  expect(wentOn).toEqual([]);
  await passUntil(1_032);
  expect(wentOn).toEqual(['a', 'b', 'c']);
});

test('a call waits for none that began 16 ms before it, nor for one that begins 16 ms after it', async () => {
  const { call, answer, passUntil, wentOn } = callsOfAPartner();
  call('before');
  await passUntil(16);
  call('a');
  await passUntil(32);
  call('after');
  await answer('a');
  expect(wentOn).toEqual(['a']);
});

test('a call that fails keeps nobody waiting, and its caller hears of it', async () => {
  const { call, answer, fail, wentOn } = callsOfAPartner();
  for (const name of ['a', 'b', 'c']) call(name);
  await answer('a');
  await fail('b');
  await answer('c');
  expect(wentOn.toSorted()).toEqual(['a', 'b failed', 'c']);
});
