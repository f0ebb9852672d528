import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  alertmanagerProgram,
  prometheusProgram,
  startAlertmanager,
  startPrometheus,
} from '../../deploy/local/observe/prometheus.ts';
import { createRun } from '../../deploy/local/run.ts';
import type { Run } from '../../deploy/local/run.ts';
import { alerts } from '../../deploy/observability/alerts/all.ts';
import { firesWithinMin } from '../../deploy/observability/alerts/fires-within.ts';
import { compressedMs, writeCompressedRules } from '../support/compressed-rules.ts';
import type { Broken, Fault } from '../support/faults/fault.ts';
import {
  deniedByPostgres,
  lateHeartbeats,
  noBroker,
  noPostgres,
  poisonedLog,
  silence,
  silentRedis,
} from '../support/faults/lost-stores.ts';
import { badPartner, emptyCafe } from '../support/faults/partner-faults.ts';
import { lapsingKey, wrongGame, wrongGameServers, wrongLaunchers } from '../support/faults/wrong-callers.ts';
import { eventually, until } from '../support/eventually.ts';
import { createFlatHerd } from '../support/flat-herd.ts';
import { visitDuring } from '../support/keep-visiting.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { receiveAlerts } from '../support/received-alerts.ts';
import { beatTogether, seatPlayers } from '../support/seat-players.ts';
import type { Player } from '../support/seat-players.ts';
import { silencesDuring } from '../support/silences.ts';

/** The mass-expiry guard looks at more than fifty that are late at once. */
const playing = 110;
/** One hour; QUIET_HOURS makes it a longer watch, which is run by hand. */
const quietMs = compressedMs(Number(process.env['QUIET_HOURS'] ?? 1), 'h');
/** What a busy machine and Alertmanager's second add. */
const reactionMs = 6_000;
const aMomentMs = 200;
const restMs = 30_000;
const heartbeatSec = 2;
const limits = {
  HEARTBEAT_INTERVAL_SEC: String(heartbeatSec),
  SESSION_EXPIRY_SEC: '6',
  SESSION_EXPIRY_SLACK_SEC: '1',
};

/** No launcher sends heartbeats here: none is to be missed for as long as all of this lasts. */
const launcherSilenceSec = 300 + Math.ceil(quietMs / 1000);
const own = useOwnStack({
  ...limits,
  LAUNCHER_SILENCE_SEC: String(launcherSilenceSec),
  RATE_LIMITS: 'off',
});
const programs = { prometheus: await prometheusProgram(), alertmanager: await alertmanagerProgram() };
const isThere = programs.prometheus !== undefined && programs.alertmanager !== undefined;
if (!isThere) process.stderr.write('! NOT DONE: alerts through a real Alertmanager. There is none\n');
const onAlertmanager = isThere ? test : test.skip;

const dir = mkdtempSync(join(tmpdir(), 'gsb-alerts-'));
let run: Run | undefined;
let received: Awaited<ReturnType<typeof receiveAlerts>> | undefined;
afterAll(async () => {
  received?.close();
  await run?.stop();
  rmSync(dir, { recursive: true, force: true });
}, 30_000);

const startWatching = async (): Promise<void> => {
  run = createRun(dir);
  received = await receiveAlerts();
  const alertmanager = await startAlertmanager({
    ...{ run, dir: join(dir, 'alertmanager'), program: programs.alertmanager ?? '', webhook: received.url },
  });
  await startPrometheus({
    ...{ run, dir: join(dir, 'prometheus'), program: programs.prometheus ?? '', alertmanager },
    ops: own.stack.facts().processes.map(({ ops }) => ops),
    rules: writeCompressedRules(join(dir, 'rules')),
    scrapeEvery: '500ms',
  });
};

const told = (): string[] => received?.told() ?? [];

const rules = Object.values(alerts).flat();

/** After how many ms an alert is too late for what its runbook says. */
const limitMs = (name: string, { showsAfterMs = 0 }: Fault): number => {
  const rule = rules.find((each) => each.name === name);
  if (rule === undefined) throw new Error(`there is no alert ${name}`);
  return showsAfterMs + reactionMs + compressedMs(firesWithinMin(rule), 'm');
};

/** What an earlier fault has told as well has to be over before it can be told again. */
const rest = ({ what, alerts: names }: Fault): Promise<void> =>
  until(() => names.every((name) => received?.fires(name) !== true), `rest before ${what}`, restMs);

/** Breaks something until all who are to hear of it have, or it is too late. Resolves to what came too late, or never. */
const breakIt = async (fault: Fault): Promise<string[]> => {
  await rest(fault);
  const began = performance.now();
  const took = (name: string): number => (received?.firstAt(name, began) ?? Infinity) - began;
  const limits = fault.alerts.map((name) => [name, limitMs(name, fault)] as const);
  const lastMs = Math.max(...limits.map(([, ms]) => ms));
  await fault.begin?.();
  while (fault.alerts.some((name) => took(name) === Infinity) && performance.now() - began < lastMs)
    await (fault.again?.() ?? pause(aMomentMs));
  await fault.heal?.();
  return limits
    .filter(([name, ms]) => took(name) > ms)
    .map(([name, ms]) => `${fault.what}: ${name} after ${Math.round(took(name))} of ${ms} ms`);
};

/** What the machine's want of a core makes true: whose heartbeats did not come, and what a process or a Redis says that gave no answer meanwhile. */
const ofFewBeats = ['GsbHeartbeatDeficit'];
const ofSilence = ['GsbHeartbeatAvailability', 'GsbRedisFailing', 'GsbEventLoopLag'];

/** What the players hear. In one batch: beats that come one by one over some sweeps also expire so, fifty at a time, and nobody wonders. */
const hearAll = async (players: readonly Player[]) => {
  const answer = await beatTogether(own.stack.facts(), players);
  const results = answer.ok ? answer.data.results : [answer];
  return [...new Set(results.map((each) => ('data' in each ? each.data.result : each.status)))];
};

type Work = () => Promise<string[]>;
const one =
  (fault: Fault): Work =>
  () =>
    breakIt(fault);
const together = async (...works: Work[]): Promise<string[]> =>
  (await Promise.all(works.map((work) => work()))).flat();
const inTurn = async (...works: Work[]): Promise<string[]> => {
  const late: string[] = [];
  for (const work of works) late.push(...(await work()));
  return late;
};

onAlertmanager(
  'nobody is woken in a quiet hour, and everybody is told of each fault in time',
  async () => {
    const facts = own.stack.facts();
    const players = await seatPlayers(facts, playing);
    const herd = createFlatHerd(players, heartbeatSec * 750);
    const { silences } = await silencesDuring(facts, async () => {
      await herd.playDuring(startWatching());
      await herd.playDuring(visitDuring(facts, 2, () => pause(quietMs)));
    });

    const windowMs = compressedMs(5, 'm');
    const fewest = herd.fewestBeatsIn(windowMs);
    const isDeficit = fewest < (0.8 * playing * windowMs) / (heartbeatSec * 1000);
    const right = [...(isDeficit ? ofFewBeats : []), ...(silences.length > 0 ? ofSilence : [])];
    const woken = told().filter((name) => !right.includes(name));
    expect({ woken, fewest, silences }).toEqual({ woken: [], fewest, silences });
    const heard = await eventually(
      () => hearAll(players),
      (results) => !results.includes(503),
    );
    expect(heard).toEqual(['OK']);

    const broken: Broken = { stack: own.stack, players };
    const launchers = wrongLaunchers(broken);
    const games = [...wrongGameServers(broken), wrongGame(broken), lapsingKey(broken)];
    const others = [...games, poisonedLog(broken), deniedByPostgres(broken)];
    const late = await inTurn(
      () =>
        together(
          () => inTurn(one(silence), one(lateHeartbeats(broken))),
          () =>
            inTurn(
              one(emptyCafe(broken)),
              () => together(...launchers.map(one)),
              () => together(...others.map(one)),
              one(badPartner(broken)),
            ),
        ),
      () => together(...noBroker(broken).map(one)),
      one(noPostgres(broken)),
      one(silentRedis(broken)),
    );

    expect(late).toEqual([]);
    expect(told().length).toBeGreaterThanOrEqual(15);
  },
  300_000 + quietMs,
);
