import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { createReplyRouter } from '#libs/messaging/reply-router.ts';
import { connectPostgres } from '#libs/postgres/pool.ts';
import { connectRedis } from '#libs/redis/connection.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';
import { waitingRedis } from '#libs/wiring/waiting-redis.ts';

const metrics = createMetrics('test');
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** An address at which a store does not listen yet: `comes` brings it there. */
const awayAtFirst = async (address: URL) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const store = connect(Number(address.port), address.hostname);
    for (const [from, to] of [[socket, store] as const, [store, socket] as const]) {
      sockets.add(from);
      from.on('error', () => to.destroy()).pipe(to);
    }
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  await new Promise((resolve) => server.close(resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const url = Object.assign(new URL(address), { hostname: '127.0.0.1', port: String(port) }).href;
  return { url, comes: () => listen(port) };
};

/** A log that tells the first warning. */
const watchedLog = () => {
  const warned = Promise.withResolvers<string>();
  const log = createLog({ service: 'test', instance: 'test', level: 'warn' }, warned.resolve);
  return { log, warned: warned.promise };
};

const starting = (component: Component) => {
  closing.push(() => component.stop());
  return component.start(() => undefined);
};

test('a service waits for a Redis that is away when it starts', async () => {
  const { url, comes } = await awayAtFirst(new URL(process.env['REDIS_URL'] ?? ''));
  const { log, warned } = watchedLog();
  const redis = waitingRedis({ server: { mode: 'single', url }, log, metrics });

  const started = starting(redis);
  await warned;
  await comes();
  await started;

  await expect(redis.client.ping()).resolves.toBe('PONG');
});

test('a service waits for its replies from a Redis that is away when it starts, and is not deaf then', async () => {
  const { url, comes } = await awayAtFirst(new URL(process.env['REDIS_URL'] ?? ''));
  const { log, warned } = watchedLog();
  const { client } = connectRedis({ server: { mode: 'single', url }, log, metrics });
  const router = createReplyRouter({
    ...{ redis: client, instance: randomUUID(), bootId: randomUUID(), clock: Date.now, log },
  });

  const started = starting(router);
  await warned;
  await comes();
  await started;

  const publisher = new Redis(process.env['REDIS_URL'] ?? '');
  closing.push(() => publisher.disconnect());
  const { replyTo, outcome } = router.expect(Date.now() + 5_000);
  const [address, waiter] = replyTo.split('#');
  await publisher.publish(`gsb:replies:${address}`, JSON.stringify([[waiter, 'heard']]));
  expect(await outcome).toBe('heard');
});

test('a service waits for a Postgres that is away when it starts', async () => {
  const { url, comes } = await awayAtFirst(new URL(process.env['DATABASE_URL'] ?? ''));
  const { log, warned } = watchedLog();
  const postgres = connectPostgres({ url, use: 'read', log, metrics });

  const started = starting(postgres);
  await warned;
  await comes();

  await expect(started).resolves.toBeUndefined();
});

test('a service that waits for its stores stops at once when it is told to', async () => {
  const redis = await awayAtFirst(new URL(process.env['REDIS_URL'] ?? ''));
  const postgres = await awayAtFirst(new URL(process.env['DATABASE_URL'] ?? ''));
  const { log, warned } = watchedLog();
  const parts = [
    waitingRedis({ server: { mode: 'single', url: redis.url }, log, metrics }),
    connectPostgres({ url: postgres.url, use: 'read', log, metrics }),
  ];

  const started = parts.map((part) => part.start(() => undefined));
  await warned;
  for (const part of parts) await part.stop();

  await expect(Promise.all(started)).resolves.toHaveLength(2);
});
