import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { partnerStatementOverHttp } from '../../../../../services/settlement/closing/http-partner-statement.ts';

const patience = { headMs: 1_000, idleMs: 400 };
const billing = (n: number) =>
  JSON.stringify({
    ...{ billing_id: `gs_${n}`, cafe_id: 'cafe-1', game_id: 'game-1', status: 'stopped' },
    ...{ started_at: '2026-11-18T00:00:00Z', stopped_at: '2026-11-18T00:01:00Z', play_duration_sec: 60 },
  });

let answer: (response: ServerResponse) => Promise<void>;
let closed: Promise<unknown>;
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

/** Writes a statement of many billings, of which the first `pieces` come one at a time, each after a while. */
const trickle = async (response: ServerResponse, pieces: number): Promise<void> => {
  response.write('{"billings":[');
  for (let n = 0; n < pieces; n += 1) {
    await after(patience.idleMs / 4);
    response.write(`${n === 0 ? '' : ','}${billing(n)}`);
  }
};

describe("the partner's own statement", () => {
  test('is read to its end, however long that takes, as long as more of it comes', async () => {
    answer = async (response) => {
      await trickle(response, 14);
      response.end(']}');
    };
    const began = performance.now();

    expect(await read()).toBe(14);
    expect(performance.now() - began).toBeGreaterThan(patience.headMs + patience.idleMs);
  });

  test('may come faster than Postgres takes it', async () => {
    const all = Array.from({ length: 6_000 }, (_, n) => billing(n)).join(',');
    answer = async (response) => void response.end(`{"billings":[${all}]}`);

    expect(await read(() => after(patience.idleMs * 2))).toBe(6_000);
  });

  test('cannot be had of a partner that falls silent in the middle of it, whose connection is closed', async () => {
    answer = (response) => trickle(response, 2);

    await expect(read()).rejects.toMatchObject({
      name: 'PartnerStatementUnavailable',
      message: "the partner's statement of day cannot be had: nothing more of it came for 0.4 s",
    });
    await closed;
  });

  test('cannot be had of a partner that does not begin', async () => {
    answer = async () => undefined;

    await expect(read()).rejects.toThrow('cannot be had: it did not begin within 1 s');
    await closed;
  });

  test('is not asked for any longer when Postgres fails', async () => {
    answer = (response) =>
      trickle(response, 2).then(
        () => void response.write(`,${Array.from({ length: 3_000 }, (_, n) => billing(n)).join(',')}`),
      );

    await expect(read(() => Promise.reject(new Error('no space left')))).rejects.toThrow('no space left');
    await closed;
  });
});
