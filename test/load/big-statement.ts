import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

// A partner whose statement of one day agrees with seed-entries.sql: node test/load/big-statement.ts 2026-11-18 1000000
const [, , day = '', count = '0'] = process.argv;
const beginsAtMs = Date.parse(`${day}T00:00:00+09:00`);
const batchSize = 2_000;
const iso = (ms: number) => new Date(ms).toISOString();

const billing = (n: number) => {
  const playDurationSec = 60 + (n % 6000);
  const startedAtMs = beginsAtMs + (n % 80_000) * 1000;
  return JSON.stringify({
    billing_id: `gs_${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
    ...{ cafe_id: `cafe-${n % 500}`, pc_id: `pc_${'0'.repeat(32)}`, game_id: `game-${n % 3}` },
    ...{ provider_user_id: `player-${n}`, status: 'stopped', started_at: iso(startedAtMs) },
    ...{ stopped_at: iso(startedAtMs + playDurationSec * 1000), play_duration_sec: playDurationSec },
    requests: { start: 1, renew: 3, stop: 1 },
  });
};

const write = async (response: ServerResponse, requestedDay: string | null): Promise<void> => {
  response.setHeader('Content-Type', 'application/json').write('{"billings":[');
  const last = requestedDay === day ? Number(count) : 0;
  for (let first = 1; first <= last; first += batchSize) {
    const some = Array.from({ length: Math.min(batchSize, last - first + 1) }, (_, index) =>
      billing(first + index),
    );
    if (!response.write((first === 1 ? '' : ',') + some.join(','))) await once(response, 'drain');
  }
  response.end(']}');
};

const server = createServer((request, response) => {
  const requestedDay = new URL(request.url ?? '/', 'http://partner').searchParams.get('day');
  write(response, requestedDay).catch(() => response.destroy());
}).listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
