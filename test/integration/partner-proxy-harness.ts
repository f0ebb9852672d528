import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { createFaults } from '#simulators/partner/faults.ts';
import { createLedger } from '#simulators/partner/ledger.ts';
import { partnerApp } from '#simulators/partner/server.ts';
import { usualInFlight } from '../../services/billing-adapter/adapters/circuit-breakers.ts';
import { partnerClient } from '../../services/billing-adapter/adapters/partner-client.ts';
import { partnerTransport } from '../../services/billing-adapter/adapters/partner-transport.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { createAuthority } from '../support/secured/authority.ts';

/** Our token at the partner. */
export const token = 'a-token-of-a-test';
/** An address of a cafe that the partner knows. */
export const ip = '203.0.113.10';

/** The partner by TLS, under the name of its certificate and a port of its own. */
const startPartner = async (issued: { cert: string; key: string }) => {
  const ledger = createLedger([{ cafeId: 'cafe-seoul-01', ips: [ip], remainingSec: 1_000_000 }]);
  const faults = createFaults(Math.random);
  const handle = partnerApp(ledger, faults, { token, timeZone: 'Asia/Seoul' }).callback();
  const server = createServer(issued, (request, response) => void handle(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, ledger, faults, stop };
};

type Proxy = Awaited<ReturnType<typeof startConnectProxy>>;

/** Two servers by TLS, partner.test and one that is another's; this process believes their authority until `stop`. */
export const startProxiedPartner = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'gsb-partner-proxy-'));
  const trusted = getCACertificates('default');
  const authority = await createAuthority(dir);
  const partner = await startPartner(await authority.issue('partner.test'));
  const impostor = await startPartner(await authority.issue('another.test'));
  setDefaultCACertificates([...trusted, readFileSync(authority.caFile, 'utf8')]);
  const opened: (() => unknown)[] = [partner.stop, impostor.stop];
  const url = `https://partner.test:${partner.port}`;
  return {
    ...{ partner, url, impostorUrl: `https://partner.test:${impostor.port}` },
    /** `named`: by TLS, with a certificate of that name. */
    newProxy: async (login?: string, named?: string): Promise<Proxy> => {
      const certificate = named === undefined ? undefined : await authority.issue(named);
      const proxy = await startConnectProxy(login, certificate);
      opened.push(() => proxy.stop().catch(() => undefined));
      return proxy;
    },
    /** billing-adapter's way to the partner through a proxy, and what it logs. */
    through: (proxy: Proxy, login?: { username: string; password: string }, to = url) => {
      const logged: Record<string, unknown>[] = [];
      const write = (fields: object, message: string) => void logged.push({ ...fields, message });
      const transport = partnerTransport({
        ...{ url: to, token, proxy: { url: proxy.url, login }, inFlight: usualInFlight },
        ...{ metrics: createMetrics('billing-adapter'), log: { warn: write, info: write } as never },
      });
      opened.push(() => transport.close());
      const client = partnerClient(transport, usualInFlight.renew);
      return { client, logged, check: () => client.cafeOf(ip) };
    },
    stop: async () => {
      setDefaultCACertificates(trusted);
      await Promise.all(opened.map((close) => close()));
      rmSync(dir, { recursive: true });
    },
  };
};
