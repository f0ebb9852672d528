import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames } from '#libs/contracts/topics.ts';
import { readStack } from '#simulators/stack-file.ts';
import { eventually, until } from '../support/eventually.ts';
import { inEveryBookOnce, settledSeconds, visitDuring } from '../support/keep-visiting.ts';
import { shortLimits, useOwnStack } from '../support/own-stack.ts';
import { askSettlement } from '../support/settlement.ts';
import { billings, gameServerOf, newPlayer } from '../support/suite-stack.ts';

const recoveryMs = 45_000;
const visitsAtOnce = 3;
/** What each service waits for in a visit, `#2` for the second time that it does. */
const awaited = {
  'launcher-gateway': ['commit.lua', 'use-nonce.lua', 'Produce', 'OffsetCommit'],
  ott: [
    'commit.lua',
    'commit.lua #2',
    'commit.lua #3',
    'Produce',
    'Produce #2',
    'Produce #3',
    'OffsetCommit',
  ],
  'billing-adapter': [
    ...['POST /v1/billings', 'POST /v1/billings/renewals', 'POST /v1/billings/…/stop', 'GET /v1/cafes'],
    ...['Produce', 'Produce #2', 'OffsetCommit'],
  ],
  'game-session': [
    ...['commit.lua', 'over.lua', 'over.lua #2', 'beat.lua', 'Produce', 'Produce #2', 'Produce #3'],
    'OffsetCommit',
  ],
  settlement: ['record-entries.sql', 'record-confirmations.sql', 'advance-position.sql', 'OffsetCommit'],
};
/** Eight rounds are at each of them; the suite plays the first. */
const rounds = Array.from({ length: Number(process.env['CRASH_ROUNDS'] ?? 1) }, (_, round) =>
  Object.entries(awaited).map(([service, points]) => [service, points[round % points.length] ?? ''] as const),
);

const crashDir = mkdtempSync(join(tmpdir(), 'gsb-crash-'));
afterAll(() => rmSync(crashDir, { recursive: true }));
const crashPoints = new URL('../support/crash-points.ts', import.meta.url).href;
const own = useOwnStack({ ...shortLimits, CRASH_DIR: crashDir, NODE_OPTIONS: `--import=${crashPoints}` });

/** A whole visit: token, verify, heartbeat, end, and the line in the ledger. */
const visit = async (): Promise<boolean> => {
  const facts = own.stack.facts();
  const { id, user } = await newPlayer(facts);
  const server = gameServerOf(facts);
  const beaten = await server.heartbeat(id, user);
  const ended = await server.end(id);
  const entry = await eventually(
    async () => (await askSettlement(facts, `sessions/${id}`)).status,
    (status) => status === 200,
    8_000,
  );
  return beaten.ok && ended.ok && entry === 200;
};

test.each(serviceNames)(
  'after kill -9 of %s it is started again at once, that is said, and a player can visit again',
  async (name) => {
    const before = own.stack.service(name).pid();
    own.stack.service(name).kill('SIGKILL');
    await eventually(
      async () => own.stack.service(name).pid(),
      (pid) => pid !== before,
      20_000,
    );

    await eventually(
      () => visit().catch(() => false),
      (ok) => ok,
      30_000,
    );

    expect(
      own.printed.some((line) => line.includes(`${name} ended (killed); starting it again in 0.1 s`)),
    ).toBe(true);
    const { processes } = await readStack(own.stack.path);
    expect(processes.find(({ service }) => service === name)?.pid).toBe(own.stack.service(name).pid());
  },
  45_000,
);

test.each(rounds.map((round) => [round.map((each) => each.join(' at ')).join(', '), round] as const))(
  'killed with -9 when an answer is here that nobody has heard yet, %s: each visit is in every book once, and nothing is billed without a session',
  async (_, round) => {
    const facts = own.stack.facts();
    for (const [service, point] of round) writeFileSync(join(crashDir, service), point);

    const { played } = await visitDuring(facts, visitsAtOnce, async (visits) => {
      await until(() => readdirSync(crashDir).length === 0, 'each service has died', recoveryMs);
      const before = visits.played.length;
      await until(() => visits.played.length > before + visitsAtOnce, 'visits afterwards', recoveryMs);
    });

    for (const each of played) await inEveryBookOnce(facts, each);
    const all = await eventually(
      () => billings(facts),
      (found) => found.every(({ status }) => status === 'stopped'),
      recoveryMs,
    );
    for (const { billing_id: id, play_duration_sec: billed } of all)
      await eventually(
        () => settledSeconds(facts, id),
        (settled = 0) => settled === billed,
        recoveryMs,
      );
  },
  4 * recoveryMs,
);
