import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Notification {
  readonly alerts: readonly {
    readonly status: 'firing' | 'resolved';
    readonly labels: Readonly<Record<string, string>>;
  }[];
}

/** Whoever is woken: takes what an Alertmanager sends, and notes when it came first. */
export const receiveAlerts = async () => {
  const firstAt = new Map<string, number>();
  const note = ({ alerts }: Notification): void => {
    for (const { status, labels } of alerts) {
      const name = labels['alertname'] ?? '';
      if (status === 'firing' && !firstAt.has(name)) firstAt.set(name, performance.now());
    }
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      note(JSON.parse(body) as Notification);
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** The alerts that fired so far, and when each was received first, by `performance.now()`. */
    firstAt: firstAt as ReadonlyMap<string, number>,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
