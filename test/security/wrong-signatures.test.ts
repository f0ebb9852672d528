import { inTurn, limitedBy, statusesOf, times } from '../support/limits-met.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { signedStart } from '../support/signed-start.ts';

const own = useOwnStack({ RATE_FAILURES_PER_ADDRESS: '5/600', RATE_FAILURES_PER_KEY: '8/600' });
const start = (change?: Parameters<typeof signedStart>[1]) => signedStart(own.stack.facts(), change);

let used = 0;
const unusedAddress = () => `198.51.100.${(used += 1)}`;
const wrong = () => ({ from: unusedAddress(), secret: Buffer.alloc(32, 1) });

test('wrong signatures from everywhere close a key id to others like them, and to no right one, though its cafe never started before (D-42)', async () => {
  const failed = await inTurn(9, () => start(wrong()));

  expect(statusesOf(failed)).toEqual([...times(8).map(() => 401), 429]);
  expect(failed.at(-1)).toMatchObject(limitedBy('failed-starts-key', 8, 600));
  expect(await start()).toMatchObject({ status: 200 });
});

test('an address whose wrong signatures come under such a key id is limited as any other (D-42)', async () => {
  await inTurn(9, () => start({ cafe: 1, ...wrong() }));
  const ofOneAddress = wrong();

  const failed = await inTurn(6, () => start({ cafe: 1, ...ofOneAddress }));

  expect(failed.at(-1)).toMatchObject(limitedBy('failed-starts-address', 5, 600));
});
