import { randomUUID } from 'node:crypto';
import { jobOf } from '../../deploy/operations/operator.ts';
import { startCommand } from '../support/command.ts';
import { operatorEnv } from '../support/operator.ts';

const unknown = `gs_${randomUUID()}`;
/** How a command ends by itself: of a session that never was there is nothing to tell. */
type Ending = readonly [code: number, outcome: 'done' | 'failed'];

const eventOf: Readonly<Record<string, string>> = { done: 'operator.acted', failed: 'operator.refused' };

const commands: [name: string, role: string, entry: string, args: string[], ending?: Ending][] = [
  [
    'close-day --day=2020-01-01 --preview --without-partner',
    'close-day',
    'deploy/operations/close-day.ts',
    ['--day', '2020-01-01', '--preview', '--without-partner'],
  ],
  ['dead-letters list', 'dead-letters', 'deploy/operations/dead-letters/main.ts', ['list']],
  ['agree launcher-sessions', 'sweeper:agree', 'deploy/operations/agree.ts', ['launcher-sessions']],
  [
    'erase --user=… --dry-run',
    'dead-letters',
    'deploy/operations/erase.ts',
    ['--user', 'nobody', '--dry-run'],
  ],
  ['replay --day=2020-01-01', 'close-day', 'deploy/operations/replay.ts', ['--day', '2020-01-01']],
  [`session ${unknown}`, 'sessions:read', 'deploy/operations/session/main.ts', [unknown], [1, 'failed']],
];

const run = (entry: string, args: string[], env: Record<string, string>) =>
  startCommand(entry, args, env).ended;
const auditIn = (err: string): unknown[] =>
  err
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as unknown);
const lacking = (role: string): unknown => expect.stringContaining(`does not have the role ${role}`);

describe.each(commands)('%s is run by a known operator (D-40)', (...row) => {
  const [operation, role, entry, args, [endsWith, outcome] = [0, 'done']] = row;

  test('without a key it does nothing', async () => {
    const { code, err } = await run(entry, args, { OPERATOR_KEY: '' });

    expect(code).toBe(2);
    expect(err).toContain('OPERATOR_KEY is not set');
  });

  test('without the role it does nothing, and names who tried', async () => {
    const { code, err, out } = await run(
      entry,
      args,
      operatorEnv({ name: 'intruder', roles: ['statements:read'] }),
    );

    expect([code, out, err]).toEqual([2, '', lacking(role)]);
    expect(auditIn(err)).toEqual([
      expect.objectContaining({
        event: 'operator.refused',
        operator: 'intruder',
        operation,
        outcome: 'FORBIDDEN',
      }),
    ]);
  });

  test('with the role it says who did it', async () => {
    const { code, err } = await run(entry, args, {});

    expect(code).toBe(endsWith);
    expect(auditIn(err)).toEqual([
      expect.objectContaining({ event: 'operator.acted', operator: 'tester', operation, outcome: 'begun' }),
      expect.objectContaining({ event: eventOf[outcome], operator: 'tester', operation, outcome }),
    ]);
  });

  test('the Job of the chart closes days, under its name; no other command is run in its name', async () => {
    const { err } = await run(entry, args, { OPERATOR_KEY: '', SCHEDULED_JOB: 'gsb-close-day' });

    const asJob = { operator: 'job gsb-close-day', operation };
    const asNobody = { event: 'operator.refused', operation, outcome: 'FORBIDDEN' };
    const [begun, done] = [
      { ...asJob, outcome: 'begun' },
      { ...asJob, outcome: 'done' },
    ];
    const lines = operation.startsWith('close-day') ? [begun, done] : [asNobody];
    expect(auditIn(err)).toEqual(lines.map((line) => expect.objectContaining(line) as unknown));
  });
});

test('the key may come by stdin, as into a pod', async () => {
  const { CATALOG_DIR = '', OPERATOR_KEY = '' } = operatorEnv({ name: 'from-afar' });
  const args = ['launcher-sessions', '--key-stdin'];
  const started = startCommand('deploy/operations/agree.ts', args, { CATALOG_DIR, OPERATOR_KEY: '' });
  started.type(`${OPERATOR_KEY}\n`);

  const { code, err } = await started.ended;
  const line = expect.objectContaining({ operator: 'from-afar' }) as unknown;
  expect([code, auditIn(err)]).toEqual([0, [line, line]]);
});

test('whoever is exec’d into the pod of the Job shows a key, as the Job itself does not', () => {
  const env = { SCHEDULED_JOB: 'gsb-close-day', KUBERNETES_SERVICE_HOST: '10.0.0.1' };

  expect([1, 17].map((pid) => jobOf(env, 'close-day', pid))).toEqual(['gsb-close-day', undefined]);
  expect(jobOf(env, 'erase', 1)).toBeUndefined();
});

test('what is given in the wrong place is not written down: it may be a player, or a token (D-43)', async () => {
  const [player, token] = ['76561198000000001', randomUUID()];
  const answers = await Promise.all([
    run('deploy/operations/session/main.ts', [player], {}),
    run('deploy/operations/session/main.ts', [token, '--hours', '5'], { OPERATOR_KEY: '' }),
    run('deploy/operations/close-day.ts', ['--day', player], {}),
  ]);

  expect(answers.map(({ err }) => auditIn(err).at(-1))).toEqual([
    expect.objectContaining({ operation: 'session …', outcome: 'misused' }),
    expect.objectContaining({ operation: 'session … --hours=5', outcome: 'FORBIDDEN' }),
    expect.objectContaining({ operation: 'close-day --day=…', outcome: 'misused' }),
  ]);
  for (const { err } of answers) expect(err).not.toContain(player);
  expect(answers[1].err).not.toContain(token);
});

test('a command that an operator misuses is written down too', async () => {
  const { code, err } = await run('deploy/operations/agree.ts', ['to everything'], {});

  expect([code, auditIn(err).at(-1)]).toEqual([
    2,
    expect.objectContaining({ event: 'operator.refused', operator: 'tester', outcome: 'misused' }),
  ]);
});
