import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { runCommand } from './commands.ts';
import type { Faults } from './faults.ts';

const maxChars = 200;

const textOf = async (incoming: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const piece of incoming as AsyncIterable<Buffer>)
    if (text.length < maxChars) text += piece.toString();
  return text.slice(0, maxChars);
};

/** Takes commands as text by POST, on loopback: 200 with what was done, 400 with why not. Resolves to how to close it. */
export const startFaultServer = async (port: number, faults: Faults): Promise<() => Promise<void>> => {
  const server = createServer((incoming, response) => {
    const answer = (status: number, text: string) => response.writeHead(status).end(`${text}\n`);
    const serve = async () => answer(200, await runCommand(faults, await textOf(incoming)));
    serve().catch((error: unknown) => answer(400, error instanceof Error ? error.message : String(error)));
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return async () => {
    server.close();
    server.closeAllConnections();
  };
};
