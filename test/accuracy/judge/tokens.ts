import { each } from './finding.ts';
import type { Check } from './finding.ts';
import { gotMs, isUnsure } from './world.ts';
import type { World } from './world.ts';

type Call = World['verifies'][number];

/** A token may be so much older than its request, in ms (D-66). */
const olderMs = 500;
/** So long after it, in ms, a request for a token that was not answered may still be handled, and void the token of a later one (D-63). */
const lateMs = 60_000;

/** A token that a launcher was given, and what its verifies were answered. */
interface Given {
  readonly asked: Call;
  readonly verifies: readonly Call[];
  /** When the last of them was answered, in ms. */
  readonly untilMs: number;
}

/** Another request of the PC may have voided the token before its last verify was answered (D-04). The history does not tell games apart. */
const mayBeVoid = ({ asked, untilMs }: Given, onPc: readonly Call[]): boolean =>
  onPc.some(
    (other) =>
      other.op === 'ott' &&
      other !== asked &&
      other.at <= untilMs &&
      gotMs(other) + (isUnsure(other) ? lateMs : 0) >= asked.at,
  );

/** What wrong clocks of ott do to tokens is left to other tests. */
const metWrongClock = ({ asked, untilMs }: Given, faults: World['faults']): boolean =>
  faults.some(({ name, at, until }) => name.startsWith('skew ott') && at <= untilMs && until >= asked.at);

/** Tokens that were given and presented, of which every answer is known. */
const givenTokens = ({ byPc, verifies, faults }: World): Given[] => {
  const byToken = Map.groupBy(verifies, ({ token }) => token);
  return [...byPc.values()].flatMap((onPc) =>
    onPc
      .filter(({ op, outcome }) => op === 'ott' && outcome === 'SUCCESS')
      .map((asked) => ({ asked, verifies: byToken.get(asked.token) ?? [] }))
      .filter(({ verifies: all }) => all.length > 0 && !all.some(isUnsure))
      .map((given) => ({ ...given, untilMs: Math.max(...given.verifies.map(gotMs)) }))
      .filter((given) => !mayBeVoid(given, onPc) && !metWrongClock(given, faults)),
  );
};

/**
 * A token that a launcher was given is good for its life: nobody is told that it is expired, nor, unless a verify has used it, that it is
 * used. One whose billing was refused may be claimed by it still (D-03). A lost store is no reason (D-24).
 */
export const givenTokensAreGood: Check = (world) =>
  each(givenTokens(world), ({ asked, verifies }) => {
    const outcomes = new Set(verifies.map(({ outcome }) => outcome));
    if (outcomes.has('VALID')) return undefined;
    const goodUntilMs = asked.at + world.limits.ottMs - olderMs;
    const refusals = outcomes.has('NOT_CHARGEABLE') ? ['OTT_EXPIRED'] : ['OTT_EXPIRED', 'OTT_ALREADY_USED'];
    const refused = verifies.find((call) => refusals.includes(call.outcome) && gotMs(call) <= goodUntilMs);
    return (
      refused &&
      `token ${asked.token} was given to ${asked.pc} at ${asked.at} ms, and was ${refused.outcome} at ${refused.at} ms`
    );
  });
