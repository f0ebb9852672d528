import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Notification {
  readonly alerts: readonly {
    readonly status: 'firing' | 'resolved';
    readonly fingerprint: string;
    readonly labels: Readonly<Record<string, string>>;
  }[];
}

/** Whoever is woken: takes what an Alertmanager sends, and notes when it came. */
export const receiveAlerts = async () => {
  const begun: { readonly name: string; readonly atMs: number }[] = [];
  const firing = new Map<string, string>();
  const note = ({ alerts }: Notification): void => {
    for (const { status, fingerprint, labels } of alerts) {
      const name = labels['alertname'] ?? '';
      if (status === 'firing' && !firing.has(fingerprint)) begun.push({ name, atMs: performance.now() });
      if (status === 'firing') firing.set(fingerprint, name);
      else firing.delete(fingerprint);
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
    /** The names of the alerts that fired so far. */
    told: (): string[] => [...new Set(begun.map(({ name }) => name))].sort(),
    /** When an alert first began to fire at an instant or after it, by `performance.now()`. */
    firstAt: (name: string, fromMs: number): number =>
      begun.find((each) => each.name === name && each.atMs >= fromMs)?.atMs ?? Infinity,
    /** Whether an alert fires now. */
    fires: (name: string): boolean => [...firing.values()].includes(name),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
