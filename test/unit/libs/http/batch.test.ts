import { end, ends } from '#libs/contracts/api/game.ts';
import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import { inBatches } from '#libs/http/batch.ts';
import { countItems } from '#libs/http/count-items.ts';
import type { Log } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { waitingCaller } from '../../../support/incoming.ts';
import { samplesOf } from '../../../support/read-metrics.ts';

const id = (digit: number) => `gs_3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e4${digit}`;
const call = (sessions: { gameSessionId: string; playDurationSec?: number }[]) =>
  ({ caller: 'a game', incoming: waitingCaller, body: { sessions } }) as never;
const success = { result: 'SUCCESS' as const, playDurationSec: 1, clientPlayDurationSec: null };

const logged: unknown[] = [];
const note = (fields: unknown) => void logged.push(fields);
const log = { error: note, warn: note } as unknown as Log;
beforeEach(() => logged.splice(0));

describe('a batch of single calls (D-41)', () => {
  test('begins all in one turn, and keeps their order whoever is ready first', async () => {
    const begun: string[] = [];
    const turns = [30, 0].map((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
    const batch = inBatches(
      end,
      async ({ body }) => {
        const turn = turns[begun.push(body.gameSessionId) - 1];
        await turn;
        if (body.gameSessionId === id(2)) throw new Refusal('ALREADY_ENDED');
        return success;
      },
      log,
    );

    const answered = batch(call([{ gameSessionId: id(1) }, { gameSessionId: id(2) }]));

    expect(begun).toEqual([id(1), id(2)]);
    const { results } = await answered;
    expect(results.map(({ gameSessionId, status }) => [gameSessionId, status])).toEqual([
      [id(1), 200],
      [id(2), 409],
    ]);
  });

  test('tells a malformed item by itself; the use case never sees it', async () => {
    const seen: string[] = [];
    const batch = inBatches(
      end,
      async ({ body }) => {
        seen.push(body.gameSessionId);
        return success;
      },
      log,
    );

    const items = [
      { gameSessionId: 'gs_1' },
      { gameSessionId: id(1), playDurationSec: 0.5 },
      { gameSessionId: id(2) },
    ];
    const { results } = await batch(call(items));

    expect(results.map(({ status }) => status)).toEqual([400, 400, 200]);
    expect(seen).toEqual([id(2)]);
  });

  test('a bug in one item is INTERNAL for that item, and others hear what they would hear alone', async () => {
    const batch = inBatches(
      end,
      async ({ body }) => {
        if (body.gameSessionId === id(1)) throw new TypeError('a bug');
        return success;
      },
      log,
    );

    const { results } = await batch(call([{ gameSessionId: id(1) }, { gameSessionId: id(2) }]));

    const error = { code: 'INTERNAL', message: 'Something went wrong on our side.' };
    expect(results).toEqual([
      { gameSessionId: id(1), status: 500, error },
      { gameSessionId: id(2), status: 200, data: success },
    ]);
    expect(logged).toMatchObject([{ error: new TypeError('a bug') }]);
  });

  test('says what its items are 503 for, of the first at once, as of single calls', async () => {
    const away = new Error('Redis is away');
    const batch = inBatches(
      end,
      async () => {
        throw unavailable(away);
      },
      log,
    );

    await batch(call([{ gameSessionId: id(1) }, { gameSessionId: id(2) }]));

    expect(logged).toEqual([{ route: end.path, error: away, count: 1 }]);
  });

  test('tells of an item when to try again, where the single call would', async () => {
    const refusals = [unavailable(), new Refusal('ALREADY_ENDED')];
    const batch = inBatches(
      end,
      async () => {
        throw refusals.shift() ?? new Error('more than two items');
      },
      log,
    );

    const { results } = await batch(call([{ gameSessionId: id(1) }, { gameSessionId: id(2) }]));

    expect(results).toMatchObject([{ error: { retryAfterSec: 1 } }, { status: 409 }]);
    expect(JSON.stringify(results[1])).not.toContain('retryAfterSec');
  });

  test('is 200 whatever becomes of its items, and these are counted by what each was answered', async () => {
    const metrics = createMetrics('game-session');
    const batch = inBatches(
      end,
      async ({ body }) => {
        if (body.gameSessionId !== id(1)) throw unavailable();
        return success;
      },
      log,
    );

    const counted = countItems(metrics, ends, batch);
    await counted(call([{ gameSessionId: id(1) }, { gameSessionId: id(2) }, { gameSessionId: id(3) }]));

    const seen = samplesOf(await metrics.text()).filter(
      ({ name, labels }) => name === 'gsb_http_batch_items_total' && labels['http_route'] === ends.path,
    );
    const byStatus = seen.map(({ labels, value }) => [labels['http_response_status_code'], value]);
    expect(Object.fromEntries(byStatus)).toMatchObject({ 200: 1, 404: 0, 503: 2 });
  });
});
