import { once } from 'node:events';
import { createServer } from 'node:http';

/** The port that OTLP over HTTP has by default. */
const otlpPort = 4318;

/** How a stack is told to send every tenth trace here. */
const asked = `OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${otlpPort} OTEL_TRACES_SAMPLER_ARG=0.1`;

/** Takes spans as a collector does, and forgets them. */
export interface SpanSink {
  /** What came, in a sentence. */
  readonly told: () => string;
  readonly close: () => void;
}

/** A collector for as long as the bench runs, so that tracing costs what it costs in live. */
export const openSpanSink = async (): Promise<SpanSink> => {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end());
  });
  const listens = await once(server.listen(otlpPort, '127.0.0.1'), 'listening').then(
    () => true,
    () => false,
  );
  return {
    told: () => {
      if (!listens) return `  spans    port ${otlpPort} is another collector's: what came there is not known`;
      const kilobytes = Math.round(bytes / 1000).toLocaleString('en-US');
      return `  spans    ${bytes > 0 ? `${kilobytes} kB came` : `none came; a stack sends them with ${asked}`}`;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
