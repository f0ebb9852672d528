import { each, together } from './finding.ts';
import type { Check } from './finding.ts';
import { answersAreInContract, billingsHaveSessions } from './edges.ts';
import { claimsHaveOutcomes, repliesReachTheirCallers } from './edges.ts';
import { boundsOf, isRefused } from './seconds.ts';
import { gotMs, saysAlive, saysOver } from './world.ts';
import type { Sitting, World } from './world.ts';
import { whyOver } from './reasons.ts';
import { givenTokensAreGood } from './tokens.ts';

/** Sessions that began: the log, settlement or a game server says so. A billing alone is none. */
const begun = ({ sittings }: World) =>
  sittings.filter(
    ({ log, settled, knownMs }) => log !== undefined || settled !== undefined || knownMs !== undefined,
  );

const oneSessionAToken: Check = (world) => {
  const sessions = Map.groupBy(
    begun(world).filter(({ token }) => token !== undefined),
    ({ token }) => token,
  );
  const tokens = [...new Set(world.verifies.map(({ token }) => token))];
  return each(tokens, (token) => {
    const ids = (sessions.get(token) ?? []).map(({ id }) => id);
    return ids.length > 1 && `token ${token} gave ${ids.join(' and ')}`;
  });
};

const oneLiveAPc: Check = (world) => {
  const byPc = Map.groupBy(world.sittings, ({ pc }) => pc);
  const pairs = world.sittings.flatMap((earlier) =>
    (byPc.get(earlier.pc) ?? [])
      .filter(({ askedMs, knownMs }) => askedMs > (earlier.knownMs ?? Infinity) && knownMs !== undefined)
      .map((later) => ({ earlier, later })),
  );
  return each(pairs, ({ earlier, later }) => {
    const since = later.knownMs ?? Infinity;
    const alive = earlier.calls.find((call) => saysAlive(call) && call.at >= since);
    return (
      alive &&
      `${earlier.id} received ${alive.outcome} at ${alive.at} ms, after ${later.id} had begun on ${earlier.pc}`
    );
  });
};

const oneBillingOneStop: Check = (world) =>
  together(
    each(
      world.sittings.filter(({ partner }) => partner !== undefined),
      ({ id, partner }) =>
        partner?.status === 'started' && `the billing of ${id} still runs (${partner.stops} stops asked)`,
    ),
    billingsHaveSessions(world),
    each(begun(world), ({ id, partner, settled }) =>
      !partner && settled?.partner !== 0 ? `the partner has no billing of ${id}` : undefined,
    ),
  );

const neverMoreThanTheSession: Check = (world) =>
  each(
    world.sittings.filter(({ settled }) => settled !== undefined),
    (sitting) => {
      const { id, settled, partner } = sitting;
      const length = Math.floor(((settled?.ended ?? 0) - (settled?.began ?? 0)) / 1000);
      const most = Math.min(length, boundsOf(sitting, world).atMost);
      const billed = Math.max(settled?.sec ?? 0, partner?.sec ?? 0);
      return billed > most && `${id} is billed ${billed} s of at most ${most} s`;
    },
  );

const inTimeNeverExpires: Check = (world) => {
  const answered = world.sittings.flatMap((sitting) =>
    sitting.calls.filter((call) => saysAlive(call) || saysOver(call)).map((call) => ({ sitting, call })),
  );
  return each(answered, ({ sitting, call }) => {
    if (!saysOver(call) || call.outcome === 'SUCCESS') return undefined;
    const why = whyOver(world, sitting, call);
    return why.isFair ? undefined : `${sitting.id} received ${call.outcome} at ${call.at} ms: ${why.what}`;
  });
};

const revived = ({ id, log }: Sitting): string | undefined => {
  const end = log?.steps.find(([, state]) => state === 'ending' || state === 'ended');
  const again = log?.steps.find(
    ([version, state]) => end && version > end[0] && state !== 'ending' && state !== 'ended',
  );
  return again && `${id} is ${again[1]} on the log after its end`;
};

const endedStaysEnded: Check = (world) => {
  const after = world.sittings.flatMap((sitting) => {
    const over = sitting.calls.filter(saysOver).map(gotMs);
    const firstMs = Math.min(...over);
    return sitting.calls.filter(({ at }) => at >= firstMs).map((call) => ({ sitting, call }));
  });
  const ended = world.sittings.filter(({ calls }) => calls.some(({ op }) => op === 'end'));
  return together(
    each(after, ({ sitting: { id }, call }) =>
      saysAlive(call) || call.outcome === 'SUCCESS'
        ? `${id} received ${call.outcome} at ${call.at} ms, after its end`
        : undefined,
    ),
    each(ended, ({ id, calls }) => {
      const successes = calls.filter(({ op, outcome }) => op === 'end' && outcome === 'SUCCESS').length;
      return successes > 1 && `${id} was ended ${successes} times`;
    }),
    each(
      world.sittings.filter(({ log }) => log !== undefined),
      revived,
    ),
  );
};

const ledgersAgree: Check = (world) =>
  each(
    world.sittings.filter(({ settled }) => settled !== undefined),
    (sitting) => {
      const { id, settled, partner, log } = sitting;
      const final = log?.steps.find(([, state]) => state === 'ending')?.[2];
      const ledgers = {
        log: final,
        settlement: settled?.sec,
        confirmed: settled?.partner,
        partner: partner?.sec ?? 0,
      };
      const compared = isRefused(sitting) ? [ledgers.log, ledgers.settlement] : Object.values(ledgers);
      const differ = new Set(compared).size > 1;
      return (
        differ &&
        `${id}: ${Object.entries(ledgers)
          .map(([ledger, sec]) => `${ledger} ${sec}`)
          .join(', ')}`
      );
    },
  );

const nothingLostOnTheWay: Check = (world) =>
  together(
    each(begun(world), ({ id, log, settled }) => {
      if (!log) return `${id} is not on the log`;
      if (!log.steps.some(([, state]) => state === 'ending')) return `${id} has no end on the log`;
      if (!settled) return `${id} is not in the ledger`;
      return settled.partner === null && `${id} was never confirmed by the partner`;
    }),
    {
      checked: 1,
      violations: world.dead?.reasons.map((reason) => `a message became a dead letter: ${reason}`) ?? [
        'the log was not read',
      ],
    },
    claimsHaveOutcomes(world),
  );

const promisesStayTrue: Check = (world) => {
  const promises = world.sittings.flatMap((sitting) =>
    sitting.calls.filter(({ sec }) => sec !== undefined).map((call) => ({ sitting, call })),
  );
  return together(
    each(
      world.sittings.filter(({ knownMs }) => knownMs !== undefined),
      ({ id, settled }) => !settled && `${id} was promised and is in no ledger`,
    ),
    each(promises, ({ sitting: { id, settled }, call }) => {
      const booked = settled?.sec ?? 0;
      if (call.op === 'end')
        return (
          booked !== call.sec && `${id}: its end was answered with ${call.sec} s, the ledger has ${booked} s`
        );
      return (
        booked < (call.sec ?? 0) &&
        `${id}: a heartbeat was answered with ${call.sec} s, the ledger has ${booked} s`
      );
    }),
    repliesReachTheirCallers(world),
    givenTokensAreGood(world),
    answersAreInContract(world),
  );
};

/** The promises of the product, each with what is looked at. */
export const invariants = {
  I1: { says: 'a token gives at most one game session, ever', check: oneSessionAToken },
  I2: { says: 'at most one live session per PC', check: oneLiveAPc },
  I3: { says: 'every billing has one session, and one stop', check: oneBillingOneStop },
  I4: { says: 'billed seconds never exceed the session', check: neverMoreThanTheSession },
  I5: { says: 'who heartbeats in time never expires', check: inTimeNeverExpires },
  I6: { says: 'an ended session never lives again', check: endedStaysEnded },
  I7: { says: 'settlement, partner and log have the same seconds', check: ledgersAgree },
  I8: { says: 'no event is lost', check: nothingLostOnTheWay },
  I9: { says: 'every 2xx stays true', check: promisesStayTrue },
} as const satisfies Record<string, { says: string; check: Check }>;
