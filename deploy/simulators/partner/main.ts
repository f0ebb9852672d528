import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { cafeId } from '#libs/contracts/fields.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { httpSettings } from '#libs/runtime/settings.ts';
import { createLedger } from './ledger.ts';
import { createFaults } from './faults.ts';
import { partnerApp } from './server.ts';

const json = z.string().transform((text, ctx): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    ctx.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
});

const schema = z.object({
  ...httpSettings,
  BIND_HOST: z.string().default('127.0.0.1'),
  PARTNER_TOKEN: z.string().min(8),
  SETTLEMENT_TIME_ZONE: z.string().default('Asia/Seoul'),
  PARTNER_CAFES: json.pipe(
    z.array(z.object({ cafe_id: cafeId, ips: z.array(z.string()), remaining_sec: z.int().nonnegative() })),
  ),
});

runMain(async () => {
  const config = readConfig(schema, process.env);
  const cafes = config.PARTNER_CAFES.map((cafe) => ({
    cafeId: cafe.cafe_id,
    ips: cafe.ips,
    remainingSec: cafe.remaining_sec,
  }));
  const app = partnerApp(createLedger(cafes), createFaults(Math.random), {
    token: config.PARTNER_TOKEN,
    timeZone: config.SETTLEMENT_TIME_ZONE,
  });
  const server = app.listen(config.HTTP_PORT, config.BIND_HOST);
  await once(server, 'listening');
  process.stdout.write(
    `${JSON.stringify({ msg: 'listening', what: 'partner', port: (server.address() as AddressInfo).port })}\n`,
  );
  const stop = () => {
    server.close(() => process.exit(0));
    server.closeAllConnections();
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
});
