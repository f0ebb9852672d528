import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { partnerStatementOverHttp } from '../../../../../services/settlement/closing/http-partner-statement.ts';
import { ownTimeouts } from '../../../../support/own-timeouts.ts';

const patience = { headMs: 1_000, idleMs: 400 };
const billing = (n: number) =>
  JSON.stringify({
    ...{ billing_id: `gs_${n}`, cafe_id: 'cafe-1', game_id: 'game-1', status: 'stopped' },
    ...{ started_at: '2026-11-18T00:00:00Z', stopped_at: '2026-11-18T00:01:00Z', play_duration_sec: 60 },
  });

let answer: (response: ServerResponse) => Promise<void>;
let closed: Promise<unknown>;
let waits: jest.SpiedFunction<typeof setTimeout>;
const partner = createServer((_request, response) => {
  closed = new Promise((done) => response.once('close', done));
  answer(response).catch(() => response.destroy());
});
beforeAll(() => new Promise<void>((listening) => void partner.listen(0, '127.0.0.1', listening)));
afterAll(() => {
  partner.closeAllConnections();
  partner.close();
});

const read = async (onBatch = async () => undefined as unknown): Promise<number> => {
  const url = `http://127.0.0.1:${(partner.address() as AddressInfo).port}`;
  let count = 0;
  for await (const batch of partnerStatementOverHttp(
    { url, token: 't', proxy: undefined },
    patience,
  )('day')) {
    count += batch.length;
    await onBatch();
  }
  return count;
};

/** Ends when the reader has begun to wait for the `nth` thing: for the head of the answer, for its first piece, for the next. */
const waitsFor = async (nth: number): Promise<void> => {
  while (waits.mock.calls.length < nth) await new Promise(setImmediate);
};

/** Writes the begin of a statement and its first `count` billings, each when the one before has been taken and `pauseMs` have gone by. */
const trickle = async (response: ServerResponse, count: number, pauseMs: number): Promise<void> => {
  response.write('{"billings":[');
  for (let n = 0; n < count; n += 1) {
    await waitsFor(n + 3);
    jest.advanceTimersByTime(pauseMs);
    response.write(`${n === 0 ? '' : ','}${billing(n)}`);
  }
  await waitsFor(count + 3);
};

const many = (count: number) => Array.from({ length: count }, (_, n) => billing(n)).join(',');

let beganMs = 0;
const passedMs = () => jest.now() - beganMs;
beforeEach(() => {
  ownTimeouts();
  beganMs = jest.now();
  waits = jest.spyOn(globalThis, 'setTimeout');
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe("the partner's own statement", () => {
  test('is read to its end, however long that takes, as long as more of it comes', async () => {
    answer = async (response) => {
      await trickle(response, 14, patience.idleMs - 1);
      response.end(']}');
    };

    expect(await read()).toBe(14);
    expect(passedMs()).toBeGreaterThan(patience.headMs + patience.idleMs);
  });

  test('may come faster than Postgres takes it', async () => {
    answer = async (response) => void response.end(`{"billings":[${many(6_000)}]}`);

    expect(await read(async () => jest.advanceTimersByTime(patience.idleMs * 2))).toBe(6_000);
    expect(passedMs()).toBeGreaterThan(patience.idleMs);
  });

  test('cannot be had of a partner that falls silent in the middle of it, whose connection is closed', async () => {
    answer = async (response) => {
      await trickle(response, 2, 0);
      jest.advanceTimersByTime(patience.idleMs);
    };

    await expect(read()).rejects.toMatchObject({
      name: 'PartnerStatementUnavailable',
      message: "the partner's statement of day cannot be had: nothing more of it came for 0.4 s",
    });
    await closed;
  });

  test('cannot be had of a partner that does not begin', async () => {
    answer = async () => jest.advanceTimersByTime(patience.headMs);

    await expect(read()).rejects.toThrow('cannot be had: it did not begin within 1 s');
    await closed;
  });

  test('is not asked for any longer when Postgres fails', async () => {
    answer = async (response) => void response.write(`{"billings":[${many(3_000)},`);

    await expect(read(() => Promise.reject(new Error('no space left')))).rejects.toThrow('no space left');
    await closed;
  });
});
