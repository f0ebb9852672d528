import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StackFacts } from '#simulators/stack-file.ts';
import { startOf } from '../../deploy/local/processes.ts';
import { takeStack } from '../bench/the-stack.ts';
import { runCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/raw.ts';
import { silencesDuring } from '../support/silences.ts';
import { theStack } from '../support/suite-stack.ts';

const everyThird = 3;
const few = ['--seconds', '2', '--warmup', '1', '--sessions', '40', '--connections', '20', '--no-ceiling'];

/** Game servers' calls pass through it; every third heartbeat that is right comes back with other seconds. */
const startLiar = async (url: string): Promise<Server> => {
  let heartbeats = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = { ...request.headers } as Record<string, string>;
      delete headers['content-length'];
      const { method = '', url: path = '' } = request;
      void send({ method, url: url + path, headers, body: Buffer.concat(chunks) }).then((answer) => {
        const lies = path.endsWith('/heartbeat') && (heartbeats += 1) % everyThird === 0;
        const text = lies
          ? answer.text.replace(/"play_duration_sec":\d+/, '"play_duration_sec":99999')
          : answer.text;
        const id = String(answer.headers['x-request-id']);
        response.writeHead(answer.status, { 'X-Request-Id': id, 'Content-Length': Buffer.byteLength(text) });
        response.end(text);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

const bench = (folder: string, args: string[]) =>
  runCommand('test/bench/main.ts', ['--stack', join(folder, 'stack.json'), ...args], {});

describe('npm run bench', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gsb-bench-test-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const writeStack = (facts: StackFacts) => writeFileSync(join(folder, 'stack.json'), JSON.stringify(facts));

  test('tells a wrong answer from a right one, and from none', async () => {
    const stack = await theStack();
    const liar = await startLiar(stack.game.url);
    const url = `http://127.0.0.1:${(liar.address() as AddressInfo).port}`;
    writeStack({ ...stack, game: { ...stack.game, url } });

    // 36 heartbeats with those of the warm-up: none of the 40 sessions has to be answered in time to beat again.
    const args = ['--phase', 'heartbeat', '--rate', '12', ...few];
    // Where somebody had no core for half a second callers hear 503, as they should (D-23).
    const { done } = await eventually(
      () => silencesDuring(stack, () => bench(folder, args)),
      ({ silences }) => silences.length === 0,
      60_000,
    );
    const { out, code } = done;
    liar.close();
    liar.closeAllConnections();

    const line = JSON.parse(out) as Record<string, number> & { reasons: Record<string, number> };
    expect(code).toBe(1);
    expect(line.reasons).toEqual({ 'heartbeat: play_duration_sec': line['wrong'] });
    expect(line['ok']! + line['wrong']!).toBe(24);
    expect(line['wrong']).toBeGreaterThanOrEqual(7);
    expect(line['wrong']).toBeLessThanOrEqual(9);
    expect(line['errors']).toBe(0);
  }, 120_000);

  test('says in a sentence that there is no stack', async () => {
    const { code, out, err } = await bench(folder, few);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^No stack runs here \(.*\): start one with RATE_LIMITS=off npm start\.\n$/);
  });

  test('says in a sentence that another bench drives the stack', async () => {
    writeStack(await theStack());
    const mine = { pid: process.pid, started: startOf(process.pid) };
    writeFileSync(join(folder, 'bench.lock'), JSON.stringify(mine));

    const { code, out, err } = await bench(folder, few);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^Another bench drives this stack \(pid \d+\); wait until it has ended\.\n$/);
  });

  test('leaves a stack to another bench that writes its lock at this moment', async () => {
    writeStack(await theStack());
    const lock = join(folder, 'bench.lock');
    writeFileSync(lock, '');

    expect(() => takeStack(join(folder, 'stack.json'))).toThrow('Another bench has just begun');
    expect(existsSync(lock)).toBe(true);
  });

  test('takes over a stack that a bench has left by dying, and gives it back', async () => {
    writeStack(await theStack());
    const lock = join(folder, 'bench.lock');
    writeFileSync(lock, JSON.stringify({ pid: process.pid, started: 'before this process' }));

    const { leave } = takeStack(join(folder, 'stack.json'));

    expect(JSON.parse(readFileSync(lock, 'utf8'))).toEqual({
      pid: process.pid,
      started: startOf(process.pid),
    });
    leave();
    expect(existsSync(lock)).toBe(false);
  });
});
