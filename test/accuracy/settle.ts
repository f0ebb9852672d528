import type { KafkaConnection } from '#libs/kafka/connection.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { runCommand } from '../support/command.ts';
import { claimedInRedis, readClaims } from './collect-claims.ts';
import { readLog, readPartner, readSettlement } from './collect-ledgers.ts';
import type { History, LineOf } from './history.ts';
import { sleep } from '#libs/runtime/wait.ts';

const pauseMs = 2_000;
const reportEveryMs = 15_000;

interface Settling {
  readonly facts: () => StackFacts;
  /** The servers of Redis that have the tokens now. */
  readonly redisUrls: () => Promise<readonly string[]>;
  /** How to reach Redis, as settings of a service. */
  readonly redisSettings: Readonly<Record<string, string>>;
  readonly kafka: KafkaConnection;
  readonly history: History;
  readonly print: (line: string) => void;
  readonly deadlineMs: number;
}

/** Many that vanished in an outage expire at the same moment; the sweeper then waits for somebody who agrees (D-25), as an operator would. */
const agreeAsOperator = async ({ facts, redisSettings }: Settling): Promise<void> => {
  const isPaused = async ({ ops }: StackFacts['processes'][number]) =>
    /gsb_sweeper_paused\{.*\} 1/.test(await (await fetch(`${ops}/metrics`)).text());
  const sweepers = facts().processes.filter(({ service }) => service === 'game-session');
  if (!(await Promise.all(sweepers.map(isPaused))).includes(true)) return;
  const { code, err } = await runCommand('deploy/operations/agree.ts', ['game-sessions'], redisSettings);
  if (code !== 0) throw new Error(err);
};

const knownTo = (history: History): string[] => [
  ...new Set(history.lines.flatMap((line) => (line.kind === 'call' && line.session ? [line.session] : []))),
];

/** Entries that are complete never change again, so each is read until then only. */
const createLedger = (facts: () => StackFacts, beganAt: number) => {
  const complete = new Map<string, LineOf<'settled'>>();
  return async (ids: readonly string[]): Promise<LineOf<'settled'>[]> => {
    const open = ids.filter((id) => !complete.has(id));
    const found = await readSettlement(facts(), open, beganAt);
    for (const entry of found) if (entry.partner !== null) complete.set(entry.id, entry);
    return [...complete.values(), ...found.filter(({ partner }) => partner === null)];
  };
};

/** The three ledgers as they stand; `open`: what is not closed in all of them. A billing of 0 s may be a verify that nobody waited for any more. */
const look = async ({ facts, history }: Settling, read: ReturnType<typeof createLedger>) => {
  const partner = await readPartner(facts());
  const ids = [...new Set([...partner.map(({ id }) => id), ...knownTo(history)])];
  const settled = await read(ids);
  const closed = new Set(settled.filter((entry) => entry.partner !== null).map(({ id }) => id));
  const mayBeNone = new Set(
    partner.filter(({ status, sec }) => status === 'stopped' && sec === 0).map(({ id }) => id),
  );
  const known = new Set(knownTo(history));
  const open = ids.filter((id) => !closed.has(id) && (known.has(id) || !mayBeNone.has(id)));
  return { partner, settled, open: open.length };
};

/** Looks until nothing is open any more, at most until the deadline; says now and then what is missing. */
const untilClosed = async (settling: Settling, read: ReturnType<typeof createLedger>) => {
  const { history, print, deadlineMs } = settling;
  const giveUpAt = history.now() + deadlineMs;
  let reportAt = history.now() + 3_000;
  for (;;) {
    await agreeAsOperator(settling).catch(() => undefined);
    const seen = await look(settling, read);
    const claimed = await claimedInRedis(await settling.redisUrls()).catch(() => undefined);
    if ((seen.open === 0 && claimed?.length === 0) || history.now() > giveUpAt) return seen;
    if (history.now() >= reportAt) {
      print(
        `… ${seen.open} sessions are not closed in every ledger yet, ${claimed?.length ?? '?'} tokens are claimed`,
      );
      reportAt += reportEveryMs;
    }
    await sleep(pauseMs);
  }
};

/** Waits until every session is closed in every ledger, and writes the ledgers into the history. */
export const settleAll = async (settling: Settling): Promise<void> => {
  const { facts, kafka, history } = settling;
  const read = createLedger(facts, history.beganAt);
  const { partner, settled, open } = await untilClosed(settling, read);
  const log = await readLog(kafka);
  const logged = log.flatMap((line) => (line.kind === 'log' ? [line.id] : []));
  const entries = await read([...new Set([...settled.map(({ id }) => id), ...logged])]);
  const claims = await readClaims(kafka, await settling.redisUrls());
  for (const line of [...partner, ...log, ...entries, claims]) history.add(line);
  history.add({ kind: 'phase', at: history.now(), name: open > 0 ? 'gave up' : 'settled' });
};
