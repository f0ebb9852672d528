import { randomUUID } from 'node:crypto';
import { sleep } from '#libs/runtime/wait.ts';
import type { CallResult } from '#simulators/http-client.ts';
import type { Callers } from './callers.ts';

const requestsOfAJourney = 6;
const playsForMs = 1_000;

/** A request that was not answered as it should be: what was asked, and when and how it was answered. */
export interface Failure {
  readonly what: string;
  readonly text: string;
}

/** When a request was sent and its answer was here, in ms since the epoch: what it did was done in between. */
type Exchange = readonly [sentAtMs: number, answeredAtMs: number];

/** A session as its game server knows it; it has no end where its end was not answered. */
export interface PlayedSession {
  readonly id: string;
  readonly verified: Exchange;
  /** The last heartbeat that was answered. */
  seen?: Exchange;
  ended?: Exchange;
  /** When nothing was asked of it any more, in ms since the epoch. */
  leftAtMs: number;
}

/** What came of a load. */
export interface Report {
  readonly requests: number;
  readonly seconds: number;
  readonly failed: readonly Failure[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly slowestMs: number;
  readonly sessions: readonly PlayedSession[];
}

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);

/** Counts requests and remembers those that went wrong. */
const createTally = () => {
  const tookMs: number[] = [];
  const failed: Failure[] = [];
  return {
    tookMs,
    failed,
    /** The data of an answer that is right; throws for any other. */
    right: async <T>(
      what: string,
      sent: Promise<CallResult<T>>,
      is: (data: T) => boolean = () => true,
    ): Promise<T> => {
      const began = performance.now();
      const answer = await sent.catch((error: unknown) => ({
        ok: false as const,
        code: causeOf(error),
        status: 0,
      }));
      tookMs.push(performance.now() - began);
      if (answer.ok && is(answer.data)) return answer.data;
      const text = answer.ok ? JSON.stringify(answer.data) : `${answer.status} ${answer.code}`;
      const when = new Date().toISOString().slice(11, 23);
      const afterMs = (performance.now() - began).toFixed(0);
      failed.push({ what, text: `${when} ${what} after ${afterMs} ms: ${text}` });
      throw new Error(what);
    },
  };
};

type Tally = ReturnType<typeof createTally>;

const sitDown = async (callers: Callers, { right }: Tally, index: number) => {
  const game = index % 3;
  const pc = callers.launcher(index);
  const server = callers.server(game);
  const user = `player-${randomUUID()}`;
  await right('session start', pc.start());
  const { ott } = await right('token', pc.requestOtt(callers.gameId(game)));
  const sentAtMs = Date.now();
  const verified = await right('verify', server.verify(ott, user), (data) => data.isValid);
  const id = verified.isValid ? verified.gameSessionId : '';
  const verifiedAtMs = Date.now();
  const session: PlayedSession = { id, verified: [sentAtMs, verifiedAtMs], leftAtMs: verifiedAtMs };
  return { pc, server, user, session };
};

type Seat = Awaited<ReturnType<typeof sitDown>>;

/** Asks something of a session. */
const exchange = async (session: PlayedSession, ask: () => Promise<unknown>): Promise<Exchange> => {
  const sentAtMs = Date.now();
  await ask().finally(() => (session.leftAtMs = Date.now()));
  return [sentAtMs, session.leftAtMs];
};

const beat = async ({ right }: Tally, { server, session, user }: Seat) => {
  session.seen = await exchange(session, () =>
    right('heartbeat', server.heartbeat(session.id, user), ({ result }) => result === 'OK'),
  );
};

const standUp = async ({ right }: Tally, { server, pc, session }: Seat) => {
  session.ended = await exchange(session, () =>
    right('end', server.end(session.id), ({ result }) => result === 'SUCCESS'),
  );
  await right('launcher end', pc.end());
};

const journey = async (
  callers: Callers,
  tally: Tally,
  index: number,
  sessions: PlayedSession[],
): Promise<void> => {
  const seat = await sitDown(callers, tally, index);
  sessions.push(seat.session);
  await sleep(playsForMs);
  await beat(tally, seat);
  await sleep(playsForMs);
  await standUp(tally, seat);
};

/** Whole journeys of six requests each, begun at a steady rate until `stop`, which waits for those under way. */
export const startLoad = (callers: Callers, requestsPerSec: number) => {
  const tally = createTally();
  const sessions: PlayedSession[] = [];
  const running = new Set<Promise<void>>();
  const began = performance.now();
  let index = 0;
  const begin = () => {
    const one = journey(callers, tally, index, sessions).catch(() => undefined);
    index += 1;
    running.add(one);
    void one.finally(() => running.delete(one));
  };
  /** What a late timer has missed is begun at once: the world outside does not wait for us either. */
  const beginDue = () => {
    const due = ((performance.now() - began) / 1000) * (requestsPerSec / requestsOfAJourney);
    while (index < due) begin();
  };
  const timer = setInterval(beginDue, 20);
  return {
    stop: async (): Promise<Report> => {
      clearInterval(timer);
      const seconds = (performance.now() - began) / 1000;
      await Promise.all(running);
      const sorted = tally.tookMs.toSorted((a, b) => a - b);
      const slowestMs = sorted.at(-1) ?? 0;
      return {
        ...{ requests: sorted.length, seconds, failed: tally.failed, sessions },
        ...{ p50Ms: at(sorted, 0.5), p99Ms: at(sorted, 0.99), slowestMs },
      };
    },
  };
};

const beatEveryMs = 2_000;

/** Players who sit through everything that is done to the cluster: one whose heartbeat is ever refused was lost. */
export const seatPlayers = async (callers: Callers, count: number) => {
  const tally = createTally();
  const seats: Seat[] = [];
  for (let index = 0; index < count; index += 1) seats.push(await sitDown(callers, tally, index));
  const playing = new Set(seats);
  const round = async (seat: Seat) => {
    const beats = [beat(tally, seat), tally.right('launcher heartbeat', seat.pc.heartbeat())];
    await Promise.allSettled(beats);
  };
  const timer = setInterval(() => void Promise.all([...playing].map(round)), beatEveryMs);
  return {
    sessions: seats.map(({ session }) => session),
    failed: tally.failed,
    /** Those whose session lives no more, and why. */
    lost: async (): Promise<string[]> => {
      const answers = await Promise.all(
        [...playing].map(({ server, session, user }) => server.heartbeat(session.id, user)),
      );
      return answers.flatMap((each) => (each.ok && each.data.result === 'OK' ? [] : [JSON.stringify(each)]));
    },
    leave: async () => {
      clearInterval(timer);
      playing.clear();
      for (const seat of seats) await standUp(tally, seat);
    },
  };
};

/** Those who sit. */
export type Players = Awaited<ReturnType<typeof seatPlayers>>;
