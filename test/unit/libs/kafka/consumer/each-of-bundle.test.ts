import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { unavailable } from '#libs/contracts/errors.ts';
import { eachOfBundle } from '#libs/kafka/consumer/each-of-bundle.ts';
import { currentRequestId } from '#libs/runtime/request-context.ts';
import { delivery } from '../../../../support/delivery.ts';

beforeAll(() => context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));

const stopped = (gameSessionId: string, requestId?: string) => ({
  name: 'billing.stopped' as const,
  data: { gameSessionId, partnerPlayDurationSec: 1 },
  meta: delivery(requestId === undefined ? undefined : { requestId }),
});

test('what of a bundle is done is not done again when another event of it fails', async () => {
  const seen: string[] = [];
  let isDown = true;
  const { together } = eachOfBundle<'billing.stopped'>(async ({ gameSessionId }) => {
    seen.push(gameSessionId);
    if (gameSessionId === 'gs_2' && isDown) throw new Error('away');
  });
  const events = [stopped('gs_1'), stopped('gs_2'), stopped('gs_3')];

  await expect(together(events)).rejects.toThrow('away');
  isDown = false;
  await together(events);

  expect(seen).toEqual(['gs_1', 'gs_2', 'gs_3', 'gs_2']);
});

test('each event of a bundle is handled with the id of its own request', async () => {
  const ids: Record<string, string | undefined> = {};
  const { together } = eachOfBundle<'billing.stopped'>(async ({ gameSessionId }) => {
    await Promise.resolve();
    ids[gameSessionId] = currentRequestId();
  });

  await together([stopped('gs_1', 'r1'), stopped('gs_2'), stopped('gs_3', 'r3')]);

  expect(ids).toEqual({ gs_1: 'r1', gs_2: undefined, gs_3: 'r3' });
});

test('of several failures one that may pass is told, so that all are tried again', async () => {
  const { together } = eachOfBundle<'billing.stopped'>(async ({ gameSessionId }) => {
    throw gameSessionId === 'gs_2' ? unavailable() : new Error('for good');
  });

  await expect(together([stopped('gs_1'), stopped('gs_2')])).rejects.toThrow(unavailable());
  await expect(together([stopped('gs_1'), stopped('gs_3')])).rejects.toThrow('for good');
});
