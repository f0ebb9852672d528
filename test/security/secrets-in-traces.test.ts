import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { everyMetric, found } from '../integration/secrets-harness.ts';
import type { Secrets } from '../integration/secrets-harness.ts';
import { useEverySecret } from '../integration/secrets-play.ts';
import { eventually } from '../support/eventually.ts';
import { useOwnStack } from '../support/own-stack.ts';

const collected: string[] = [];
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    collected.push(Buffer.concat(chunks).toString('latin1'));
    response.writeHead(200).end();
  });
}).listen(0, '127.0.0.1');
await once(collector, 'listening');
afterAll(() => collector.close());

const { port } = collector.address() as AddressInfo;
const own = useOwnStack({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
let secrets: Secrets;
beforeAll(async () => {
  ({ secrets } = await useEverySecret(own.stack.facts()));
}, 30_000);

describe('promise I10: where traces are kept, no key, token or signature stands', () => {
  test('in a span', async () => {
    const spans = await eventually(
      async () => collected.map((text) => ({ where: 'a span', text })),
      (read) => ['verify', 'ott', 'settlement'].every((name) => read.some(({ text }) => text.includes(name))),
      20_000,
    );

    expect(found(spans, secrets)).toEqual([]);
  }, 30_000);

  test('in an exemplar, which names a trace', async () => {
    const metrics = await everyMetric(own.stack.facts().processes);

    expect(metrics.some(({ text }) => / # \{trace_id="[0-9a-f]{32}"\}/.test(text))).toBe(true);
    expect(found(metrics, secrets)).toEqual([]);
  });
});
