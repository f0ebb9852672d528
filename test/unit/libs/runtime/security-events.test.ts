import { context } from '@opentelemetry/api';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { withRequestId } from '#libs/runtime/request-context.ts';
import { createSecurityEvents } from '#libs/runtime/security-events.ts';

const anHourMs = 3_600_000;
const events = (windowMs = anHourMs) => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ service: 'test', instance: 'test', level: 'info' }, (line) =>
    lines.push(JSON.parse(line) as Record<string, unknown>),
  );
  const metrics = createMetrics('game-session');
  return { lines, metrics, security: createSecurityEvents({ log, metrics, windowMs }) };
};
const wrongKey = { kind: 'api-key', reason: 'unknown_key' };

describe('security events (D-47)', () => {
  test('three hundred equal ones are one line with their count, and each is counted', async () => {
    const { lines, metrics, security } = events();

    for (let count = 0; count < 300; count += 1) security.note('connection.failed', { reason: 'ECONNRESET' });
    expect(lines).toEqual([]);
    await security.stop();

    expect(lines).toEqual([
      expect.objectContaining({ event: 'connection.failed', reason: 'ECONNRESET', count: 300 }),
    ]);
    expect(await metrics.text()).toMatch(/gsb_security_events_total\{event="connection.failed".*\} 300\n/);
  });

  test('those that differ are lines of their own', async () => {
    const { lines, security } = events();

    security.note('authentication.failed', { ...wrongKey, keyId: 'aaaaaaaa' });
    security.note('authentication.failed', { ...wrongKey, keyId: 'bbbbbbbb' });
    security.note('game.mismatched', { keyId: 'aaaaaaaa' });
    await security.stop();

    expect(lines.map(({ event, key_id, count }) => [event, key_id, count])).toEqual([
      ['authentication.failed', 'aaaaaaaa', 1],
      ['authentication.failed', 'bbbbbbbb', 1],
      ['game.mismatched', 'aaaaaaaa', 1],
    ]);
  });

  test('however many keys an attacker makes up, the lines are bounded and nothing is lost from the count', async () => {
    const { lines, security } = events();

    for (let id = 0; id < 5_000; id += 1)
      security.note('authentication.failed', { ...wrongKey, keyId: `key-${id}` });
    security.note('nonce.replayed', { keyId: 'cafe-1.k1' });
    await security.stop();

    expect(lines).toHaveLength(102);
    expect(lines.filter(({ event }) => event === 'nonce.replayed')).toMatchObject([{ key_id: 'cafe-1.k1' }]);
    const failed = lines.filter(({ event }) => event === 'authentication.failed');
    expect(failed.reduce((sum, { count }) => sum + Number(count), 0)).toBe(5_000);
    expect(failed.at(-1)).toMatchObject({ ...wrongKey, count: 4_900 });
  });

  test('the line comes when its window is over, with the request of the first one', async () => {
    const { lines, security } = events(20);
    const written = new Promise<void>((resolve) => {
      const poll = setInterval(() => {
        if (lines.length === 0) return;
        clearInterval(poll);
        resolve();
      }, 5);
    });

    for (const id of ['req_1', 'req_2'])
      context.with(withRequestId(id), () => security.note('rate.limited', { limit: 'tokens-pc' }));
    await written;
    security.note('rate.limited', { limit: 'tokens-pc' });
    await security.stop();

    expect(lines.map(({ count }) => count)).toEqual([2, 1]);
  });

  test('what an operator does is a line of its own, at once', () => {
    const { lines, security } = events();
    const action = { operator: 'jisoo', operation: 'statement', outcome: 'done' };

    security.note('operator.acted', action);
    security.note('operator.acted', action);

    expect(lines).toEqual([expect.objectContaining(action), expect.objectContaining(action)]);
  });
});
