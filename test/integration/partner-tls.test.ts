import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { usualInFlight } from '../../services/billing-adapter/adapters/circuit-breakers.ts';
import { partnerTransport } from '../../services/billing-adapter/adapters/partner-transport.ts';
import { createAuthority } from '../support/secured/authority.ts';

const dir = mkdtempSync(join(tmpdir(), 'gsb-partner-tls-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('calls of a partner that knows HTTP/2 too have a connection each, so that one that is cut leaves nobody on a dead one (D-27)', async () => {
  const authority = await createAuthority(dir);
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(authority.caFile, 'utf8')]);
  const issued = await authority.issue('localhost');
  const heard: { version: string; from: number | undefined }[] = [];
  const server = createSecureServer({ ...issued, allowHTTP1: true }, (request, response) => {
    heard.push({ version: request.httpVersion, from: request.socket.remotePort });
    if (heard.length === 4) response.end('{}');
    else server.once('all', () => response.end('{}'));
    if (heard.length === 4) server.emit('all');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const partner = partnerTransport({
    ...{
      url: `https://localhost:${(server.address() as AddressInfo).port}`,
      token: 'token',
      proxy: undefined,
    },
    ...{ inFlight: usualInFlight, metrics: createMetrics('billing-adapter') },
    log: createLog({ service: 'test', instance: 'test', level: 'error' }),
  });
  const request = { operation: 'start', method: 'POST', path: '/v1/billings', body: {} } as const;
  const ask = () => partner.call(request, ({ status }) => ({ outcome: 'answered', status }));

  const answers = await Promise.all([ask(), ask(), ask(), ask()]);

  expect(answers).toEqual(Array.from({ length: 4 }, () => ({ outcome: 'answered', status: 200 })));
  expect(heard.map(({ version }) => version)).toEqual(['1.1', '1.1', '1.1', '1.1']);
  expect(new Set(heard.map(({ from }) => from)).size).toBe(4);
  await partner.close();
  server.close();
});
