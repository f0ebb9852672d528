import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createFaults } from '#simulators/partner/faults.ts';
import { createLedger } from '#simulators/partner/ledger.ts';
import { partnerApp } from '#simulators/partner/server.ts';
import { theStack } from '../support/suite-stack.ts';

test.each(['/v1/cafes?ip=203.0.113.10', '/V1/cafes?ip=203.0.113.10', '/V1/billings?day=2026-11-20'])(
  'the partner answers %s to nobody without the token',
  async (path) => {
    const { partner } = await theStack();

    expect((await fetch(`${partner.url}${path}`)).status).toBe(401);
  },
);

test.each([
  ['Asia/Seoul', '2026-11-21'],
  ['UTC', '2026-11-20'],
])('a day of the partner that counts in %s has the evening of %s', async (timeZone, day) => {
  const ledger = createLedger([{ cafeId: 'cafe-seoul-01', ips: [], remainingSec: 60 }]);
  const started_at = '2026-11-20T20:00:00.000Z';
  ledger.start({ billing_id: 'gs_1', cafe_id: 'cafe-seoul-01', started_at } as Parameters<
    typeof ledger.start
  >[0]);
  const app = partnerApp(ledger, createFaults(Math.random), { token: 'the token', timeZone });
  const server = createServer((request, response) => void app.callback()(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;

  const answer = await fetch(`http://127.0.0.1:${port}/v1/billings?day=${day}`, {
    headers: { Authorization: 'Bearer the token' },
  });

  expect(((await answer.json()) as { billings: unknown[] }).billings).toHaveLength(1);
  server.close();
});
