import { isUnsure as isUnsureStatus } from '../answer.ts';
import type { HistoryLine, LineOf } from '../history.ts';

type Call = LineOf<'call'>;

/** One game session, as everybody saw it. */
export interface Sitting {
  readonly id: string;
  readonly pc: string;
  /** Its token's number; undefined when no game server ever learned of the session. */
  readonly token: number | undefined;
  /** Earliest instant at which play can have begun: its first verify was sent. */
  readonly askedMs: number;
  /** When the game server knew of it; undefined when it never did. */
  readonly knownMs: number | undefined;
  /** Heartbeats and ends of it, in the order in which they were sent. */
  readonly calls: readonly Call[];
  readonly partner: LineOf<'partner'> | undefined;
  readonly settled: LineOf<'settled'> | undefined;
  readonly log: LineOf<'log'> | undefined;
}

/** A history, put in order for the judge. */
export interface World {
  readonly sittings: readonly Sitting[];
  readonly verifies: readonly Call[];
  readonly byPc: ReadonlyMap<string, readonly Call[]>;
  readonly played: readonly LineOf<'played'>[];
  readonly faults: readonly LineOf<'fault'>[];
  readonly samples: readonly LineOf<'sample'>[];
  readonly dead: LineOf<'dead'> | undefined;
  /** Undefined in histories of older runs. */
  readonly claims: LineOf<'claims'> | undefined;
  readonly limits: Readonly<Record<'ottMs' | 'intervalMs' | 'expiryMs' | 'graceMs', number>>;
}

/** When the answer of a call was there, in ms. */
export const gotMs = ({ at, took }: Call): number => at + took;
/** The session is alive, by this answer. */
export const saysAlive = ({ op, outcome }: Call): boolean =>
  op === 'beat' && (outcome === 'OK' || outcome === 'CHARGE_EXHAUSTED');
/** An answer that rests on a proof of life. */
export const isProof = (call: Call): boolean =>
  saysAlive(call) || (call.op === 'end' && call.outcome === 'SUCCESS');
/** Nobody knows what became of it. */
export const isUnsure = ({ status }: Call): boolean => isUnsureStatus(status);
/** A request that was not answered may still be done this long after its caller gave up, in ms. */
const afterwardsMs = 2_000;
/** When what a call asked for was done at the latest, in ms. */
export const doneByMs = (call: Call): number => gotMs(call) + (isUnsure(call) ? afterwardsMs : 0);
/** The session is over, by this answer. */
export const saysOver = (call: Call): boolean =>
  (call.op === 'beat' || call.op === 'end') &&
  !isUnsure(call) &&
  !saysAlive(call) &&
  !['BAD_REQUEST', 'INVALID_API_KEY'].includes(call.outcome);

const ofKind = <K extends HistoryLine['kind']>(lines: readonly HistoryLine[], kind: K): LineOf<K>[] =>
  lines.filter((line): line is LineOf<K> => line.kind === kind);

const grouped = <T>(items: readonly T[], keyOf: (item: T) => string | undefined): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
};

const tokenOf = (user: string | undefined): number | undefined => {
  const number = Number(user?.replace('player-', ''));
  return Number.isInteger(number) ? number : undefined;
};

const limitsOf = (run: LineOf<'run'> | undefined): World['limits'] => {
  const ms = (name: string) => Number(run?.limits[name] ?? 0) * 1000;
  return {
    ottMs: ms('OTT_TTL_SEC'),
    intervalMs: ms('HEARTBEAT_INTERVAL_SEC'),
    expiryMs: ms('SESSION_EXPIRY_SEC'),
    graceMs: ms('GRACE_SEC'),
  };
};

const byId = <T extends { id: string }>(lines: readonly T[]) => new Map(lines.map((line) => [line.id, line]));

/** Every session that anybody knows of: game servers, the log, the partner or settlement. */
const sittingsOf = (lines: readonly HistoryLine[], calls: readonly Call[]): Sitting[] => {
  const [partner, settled, log] = [
    byId(ofKind(lines, 'partner')),
    byId(ofKind(lines, 'settled')),
    byId(ofKind(lines, 'log')),
  ];
  const verifies = calls.filter(({ op }) => op === 'verify');
  const bySession = grouped(calls, ({ session }) => session);
  const byToken = grouped(verifies, ({ token }) => String(token));
  const ids = new Set([...bySession.keys(), ...partner.keys(), ...settled.keys(), ...log.keys()]);
  return [...ids].map((id) => {
    const own = bySession.get(id) ?? [];
    const ledgers = { partner: partner.get(id), settled: settled.get(id), log: log.get(id) };
    const token = own[0]?.token ?? tokenOf(ledgers.log?.user ?? ledgers.partner?.user);
    const asked = byToken.get(String(token)) ?? [];
    const valid = own.filter(({ op, outcome }) => op === 'verify' && outcome === 'VALID');
    return {
      ...{ id, token, pc: asked[0]?.pc ?? '?', ...ledgers },
      askedMs: Math.min(...asked.map(({ at }) => at)),
      knownMs: valid.length > 0 ? Math.min(...valid.map(gotMs)) : undefined,
      calls: own.filter(({ op }) => op !== 'verify'),
    };
  });
};

/** Puts a history in order. */
export const worldOf = (lines: readonly HistoryLine[]): World => {
  const calls = ofKind(lines, 'call').toSorted((one, other) => one.at - other.at);
  return {
    sittings: sittingsOf(lines, calls),
    verifies: calls.filter(({ op }) => op === 'verify'),
    byPc: grouped(calls, ({ pc }) => pc),
    played: ofKind(lines, 'played'),
    faults: ofKind(lines, 'fault'),
    samples: ofKind(lines, 'sample'),
    dead: ofKind(lines, 'dead').at(-1),
    claims: ofKind(lines, 'claims').at(-1),
    limits: limitsOf(ofKind(lines, 'run')[0]),
  };
};
