import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import Koa from 'koa';

/** What a heartbeat cannot do without: read it, one script on a record of Redis, answer. */
const lua = `local seen = redis.call('HGET', KEYS[1], 'seen')
redis.call('HSET', KEYS[1], 'seen', ARGV[1])
return seen or ''`;
const key = 'gsb:bench:{ceiling}';

/** A bare koa server on the Redis of the stack, whose throughput is the ceiling of this machine. */
const redis = new Redis(process.argv[2] ?? '', { enableAutoPipelining: false });
redis.defineCommand('beat', { numberOfKeys: 1, lua });
const beat = Reflect.get(redis, 'beat') as (key: string, value: string) => Promise<string>;
const app = new Koa();
const bodyOf = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
  });
app.use(async (ctx) => {
  const { game_session_id: id } = JSON.parse(await bodyOf(ctx.req)) as { game_session_id: string };
  await beat.call(redis, key, id);
  ctx.type = 'application/json';
  ctx.body = JSON.stringify({
    success: true,
    data: { result: 'OK', next_heartbeat_in: 120, play_duration_sec: 0 },
  });
});
const handle = app.callback();
const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
await once(server, 'listening');
process.once('disconnect', () => {
  void redis.del(key).finally(() => process.exit(0));
});
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
