import type { Redis } from 'ioredis';

const pingEveryMs = 1_000;

/**
 * Sends a ping each second, for as long as the connection is open. A host that died without a word is noticed only by what is not answered:
 * the socket timeout then breaks the connection, and the client connects anew. A subscription sends nothing by itself.
 */
export const pingConnection = (client: Redis): void => {
  let timer: NodeJS.Timeout | undefined;
  const ping = () => void client.ping().catch(() => undefined);
  client.on('ready', () => {
    clearInterval(timer);
    timer = setInterval(ping, pingEveryMs).unref();
  });
  client.on('close', () => clearInterval(timer));
};
