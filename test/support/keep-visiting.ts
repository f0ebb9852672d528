import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { StackFacts } from '#simulators/stack-file.ts';
import { eventually } from './eventually.ts';
import { askSettlement } from './settlement.ts';
import { billings, gameIdOf, gameServerOf, newPc } from './suite-stack.ts';

const beats = 3;
const betweenBeatsMs = 300;

/** A visit that was played to its end, with the seconds that its game server was told. */
export interface Visit {
  readonly id: string;
  readonly user: string;
  readonly seconds: number;
}

/** A call that did not succeed: its answer, if there was one, and when, in ms of this process's monotonic clock. */
export interface FailedCall {
  readonly what: string;
  readonly status?: number;
  readonly said: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What was played, and what did not succeed. */
interface Visits {
  readonly played: Visit[];
  readonly failed: FailedCall[];
}

interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly code?: string | undefined;
}

/** The answer to a call; undefined, and a place in the list, for one that failed. */
export const asker =
  (failed: FailedCall[]) =>
  async <A extends Answer>(what: string, call: () => Promise<A>): Promise<(A & { ok: true }) | undefined> => {
    const fromMs = performance.now();
    const note = (how: Pick<FailedCall, 'status' | 'said'>) =>
      void failed.push({ what, ...how, fromMs, toMs: performance.now() });
    try {
      const answer = await call();
      if (answer.ok) return answer as A & { ok: true };
      note({ status: answer.status, said: answer.code ?? '' });
    } catch (error) {
      note({ said: String(error) });
    }
    return undefined;
  };

const visit = async (stack: StackFacts, { played, failed }: Visits): Promise<void> => {
  const ask = asker(failed);
  const [pc, server, user] = [newPc(stack), gameServerOf(stack), `visitor-${randomUUID()}`];
  if (!(await ask('start', () => pc.start()))) return;
  const token = await ask('token', () => pc.requestOtt(gameIdOf(stack)));
  const begun = token && (await ask('verify', () => server.verify(token.data.ott, user)));
  if (!begun?.data.isValid) return;
  const id = begun.data.gameSessionId;
  for (let count = 0; count < beats; count += 1) {
    await pause(betweenBeatsMs);
    await ask('heartbeat', () => server.heartbeat(id, user));
  }
  const ended = await ask('end', () => server.end(id));
  if (ended) played.push({ id, user, seconds: ended.data.playDurationSec });
};

/** So many visits at a time while something is done, one after the other: a launcher starts, a token, a verify, three heartbeats, an end. */
export const visitDuring = async (
  stack: StackFacts,
  atOnce: number,
  work: (visits: Visits) => Promise<void>,
): Promise<Visits> => {
  const visits: Visits = { played: [], failed: [] };
  let over = false;
  const visiting = Array.from({ length: atOnce }, async () => {
    while (!over) await visit(stack, visits);
  });
  try {
    await work(visits);
  } finally {
    over = true;
    await Promise.all(visiting);
  }
  return visits;
};

const booksMs = 40_000;

/** The seconds of a session in the ledger; undefined where it has no entry, or settlement is just starting. */
export const settledSeconds = async (stack: StackFacts, id: string): Promise<number | undefined> => {
  const answer = await askSettlement(stack, `sessions/${id}`).catch(() => undefined);
  return (answer?.body as { data?: { play_duration_sec: number } } | undefined)?.data?.play_duration_sec;
};

/** Resolves when the ledger has the seconds of a visit, and its player one billing at the partner, with the same. */
export const inEveryBookOnce = async (stack: StackFacts, { id, user, seconds }: Visit): Promise<void> => {
  const books = async (): Promise<string> => {
    const billed = (await billings(stack)).filter(({ provider_user_id: of }) => of === user);
    return [await settledSeconds(stack, id), ...billed.map((each) => each.play_duration_sec)].join();
  };
  await eventually(books, (found) => found === `${seconds},${seconds}`, booksMs);
};
