import { judgeBatch, judgeEnd, judgeHeartbeat, judgeLauncherEnd, judgeOtt } from './answers.ts';
import { judgeLauncherHeartbeat, judged, judgeStart, judgeVerify, ok } from './answers.ts';
import type { Seconds, Verdict } from './answers.ts';
import type { Outcome } from './http/connection.ts';
import type { Pool } from './http/pool.ts';
import type { Pc, Pcs } from './pcs.ts';
import { gameRequests, launcherRequests } from './requests.ts';

/** What a request is for. */
export type OperationName = 'start' | 'ott' | 'verify' | 'heartbeat' | 'end' | 'batch' | 'batch-end';

/** A request that is ready to be sent, how its answer is judged, and what that changes. Several verdicts where it stands for several sessions. */
export interface Prepared {
  readonly pool: Pool;
  readonly text: string;
  readonly settle: (outcome: Outcome) => readonly Verdict[];
}

/** Makes the next request of each kind; undefined where there is no PC for it. */
export type Operations = Readonly<Record<OperationName, () => Prepared | undefined>> & {
  /** The heartbeat of this PC's launcher. */
  readonly refresh: (pc: Pc) => Prepared;
  /** The end of this PC's launcher, and of what is played there. */
  readonly goHome: (pc: Pc) => Prepared;
};

/** What operations need to know. */
export interface World {
  readonly pcs: Pcs;
  readonly launchers: Pool;
  readonly games: Pool;
  readonly game: { readonly id: string; readonly apiKey: string };
  readonly batchSize: number;
}

const now = () => performance.now();
/** Whole seconds differ by one when the two clocks round differently; a delivery that was late may cost another one. */
const toleranceSec = 2;
/** A launcher that is heard within four minutes lives; a token is presented well before it expires. */
const launcherLivesMs = 180_000;
const tokenShare = 0.85;

/** What play may have lasted when a request of this instant was answered: play began while its verify was under way. */
const playedBy = ({ verifySentMs, verifiedMs }: Pc, sentMs: number): Seconds => ({
  atLeast: Math.floor((sentMs - verifiedMs) / 1000) - toleranceSec,
  atMost: Math.ceil((now() - verifySentMs) / 1000) + toleranceSec,
});

/** An idle PC whose launcher has not lapsed; others are forgotten. */
const liveIdle = (pcs: Pcs): Pc | undefined => {
  for (let pc = pcs.idle.take(); pc; pc = pcs.idle.take())
    if (now() - pc.launcherSeenMs < launcherLivesMs) return pc;
  return undefined;
};

/** A PC whose token is still good; the others have to ask again. */
const liveToken = (pcs: Pcs): Pc | undefined => {
  for (let pc = pcs.launching.take(); pc; pc = pcs.launching.take()) {
    if (now() < pc.ottUntilMs) return pc;
    pcs.idle.push(pc);
  }
  return undefined;
};

const forLaunchers = ({ pcs, launchers, game }: World) => {
  const requests = launcherRequests(launchers.host);
  const start = (): Prepared => {
    const pc = pcs.newPc();
    const settle = (outcome: Outcome): Verdict[] => {
      const verdict = judged(outcome, (data) => {
        pc.sessionToken = String(data['session_token']);
        pc.intervalSec = Number(data['heartbeat_interval_sec']);
        return judgeStart(data, Date.now());
      });
      pc.launcherSeenMs = now();
      if (verdict === ok) pcs.idle.push(pc);
      return [verdict];
    };
    return { pool: launchers, text: requests.start(pc), settle };
  };
  // A launcher that asks again voids its earlier token.
  const ott = (): Prepared | undefined => {
    const pc = liveIdle(pcs) ?? pcs.launching.take();
    if (pc === undefined) return undefined;
    const before = pc.ott;
    const settle = (outcome: Outcome): Verdict[] => {
      const verdict = judged(outcome, (data) => {
        pc.ott = String(data['ott']);
        pc.ottUntilMs = now() + Number(data['expires_in_sec']) * 1000 * tokenShare;
        return judgeOtt(data, game.id, before);
      });
      pc.launcherSeenMs = now();
      (verdict === ok ? pcs.launching : pcs.idle).push(pc);
      return [verdict];
    };
    return { pool: launchers, text: requests.ott(pc, game.id), settle };
  };
  const refresh = (pc: Pc): Prepared => {
    const settle = (outcome: Outcome): Verdict[] => {
      pc.launcherSeenMs = now();
      return [judged(outcome, judgeLauncherHeartbeat)];
    };
    return { pool: launchers, text: requests.heartbeat(pc), settle };
  };
  const goHome = (pc: Pc): Prepared => ({
    pool: launchers,
    text: requests.end(pc),
    settle: (outcome) => [judged(outcome, judgeLauncherEnd)],
  });
  return { start, ott, refresh, goHome };
};

const leave = (pcs: Pcs, pc: Pc): void => {
  pc.gameSessionId = undefined;
  pcs.idle.push(pc);
};

const isOver = ({ why }: Verdict): boolean => /\b(404|410|SESSION_\w+)\b/.test(why);

/** Back in the queue, from which a request takes a session until it is answered: one that beats twice at once would contend with itself. Who is told that play is over plays no more. */
const keep = (pcs: Pcs, pc: Pc, verdict: Verdict): void => {
  pc.heardMs = now();
  if (verdict !== ok && isOver(verdict)) leave(pcs, pc);
  else pcs.playing.push(pc);
};

const forVerify =
  ({ pcs, games }: World, requests: Requests) =>
  (): Prepared | undefined => {
    const pc = liveToken(pcs);
    if (pc === undefined) return undefined;
    pc.verifySentMs = now();
    const settle = (outcome: Outcome): Verdict[] => {
      const verdict = judged(outcome, (data) => {
        pc.gameSessionId = String(data['game_session_id']);
        return judgeVerify(data, (id) => pcs.ids.has(id));
      });
      pc.ott = undefined;
      pc.verifiedMs = pc.heardMs = now();
      if (verdict === ok) pcs.ids.add(pc.gameSessionId ?? '');
      (verdict === ok ? pcs.playing : pcs.idle).push(pc);
      return [verdict];
    };
    return { pool: games, text: requests.verify(pc), settle };
  };

type Requests = ReturnType<typeof gameRequests>;
type Judge = (data: Readonly<Record<string, unknown>>, index: number) => Verdict;

/** The verdicts on a batch of these players, one each; the whole request's where it was not answered as a batch. */
const judgedEach = (outcome: Outcome, some: readonly Pc[], judge: Judge): readonly Verdict[] => {
  let verdicts: readonly Verdict[] = [];
  const ids = some.map(({ gameSessionId = '' }) => gameSessionId);
  const whole = judged(outcome, (data) => {
    verdicts = judgeBatch(data, ids, judge);
    return ok;
  });
  return whole === ok ? verdicts : some.map(() => whole);
};

const takeSome = ({ pcs, batchSize }: World): Pc[] => {
  const some: Pc[] = [];
  while (some.length < batchSize && pcs.playing.size > 0) some.push(pcs.playing.take()!);
  return some;
};

const forPlay = (world: World, requests: Requests) => {
  const { pcs, games } = world;
  const heartbeat = (): Prepared | undefined => {
    const [pc, sentMs] = [pcs.playing.take(), now()];
    if (pc === undefined) return undefined;
    const settle = (outcome: Outcome): Verdict[] => {
      const verdict = judged(outcome, (data) => judgeHeartbeat(data, playedBy(pc, sentMs), pc.intervalSec));
      keep(pcs, pc, verdict);
      return [verdict];
    };
    return { pool: games, text: requests.heartbeat(pc), settle };
  };
  const batch = (): Prepared | undefined => {
    const [some, sentMs] = [takeSome(world), now()];
    if (some.length === 0) return undefined;
    const settle = (outcome: Outcome): readonly Verdict[] => {
      const verdicts = judgedEach(outcome, some, (data, index) => {
        const pc = some[index]!;
        return judgeHeartbeat(data, playedBy(pc, sentMs), pc.intervalSec);
      });
      some.forEach((pc, index) => keep(pcs, pc, verdicts[index]!));
      return verdicts;
    };
    return { pool: games, text: requests.batchHeartbeat(some), settle };
  };
  return { heartbeat, batch };
};

const forEnd = (world: World, requests: Requests) => {
  const { pcs, games } = world;
  const playedSec = ({ verifiedMs }: Pc, sentMs: number) => Math.floor((sentMs - verifiedMs) / 1000);
  const end = (): Prepared | undefined => {
    const [pc, sentMs] = [pcs.playing.take(), now()];
    if (pc === undefined) return undefined;
    const sec = playedSec(pc, sentMs);
    const settle = (outcome: Outcome): Verdict[] => {
      const verdict = judged(outcome, (data) => judgeEnd(data, playedBy(pc, sentMs), sec));
      leave(pcs, pc);
      return [verdict];
    };
    return { pool: games, text: requests.end(pc, sec), settle };
  };
  const batchEnd = (): Prepared | undefined => {
    const [some, sentMs] = [takeSome(world), now()];
    if (some.length === 0) return undefined;
    const secs = some.map((pc) => playedSec(pc, sentMs));
    const settle = (outcome: Outcome): readonly Verdict[] => {
      const verdicts = judgedEach(outcome, some, (data, index) =>
        judgeEnd(data, playedBy(some[index]!, sentMs), secs[index]!),
      );
      for (const pc of some) leave(pcs, pc);
      return verdicts;
    };
    return { pool: games, text: requests.batchEnd(some, secs), settle };
  };
  return { end, 'batch-end': batchEnd };
};

/** The operations of players, launchers and game servers on a stack. */
export const operationsOf = (world: World): Operations => {
  const requests = gameRequests(world.games.host, world.game.apiKey);
  return {
    ...forLaunchers(world),
    verify: forVerify(world, requests),
    ...forPlay(world, requests),
    ...forEnd(world, requests),
  };
};
