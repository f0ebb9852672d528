import { end, heartbeat, heartbeatResult } from '#libs/contracts/api/game.ts';
import { errors } from '#libs/contracts/errors.ts';
import type { ErrorCode } from '#libs/contracts/errors.ts';
import { each, together } from './finding.ts';
import type { Check } from './finding.ts';
import { isUnsure } from './world.ts';

/** A billing of 0 s may be of a verify that nobody waited for any more; any other has a session on the log. */
export const billingsHaveSessions: Check = ({ sittings }) =>
  each(
    sittings.filter(({ partner }) => partner !== undefined),
    ({ id, partner, log }) =>
      !log && partner?.sec !== 0 && `${partner?.sec} s are billed for ${id}, which is no session`,
  );

/** No token is left in `claimed`, on the log or in Redis: each claim is consumed or given back (D-34). */
export const claimsHaveOutcomes: Check = ({ claims }) => ({
  checked: claims?.tokens ?? 0,
  violations: [
    ...(claims?.log ?? []).map((id) => `the token of ${id} is still claimed on the log`),
    ...(claims?.redis ?? []).map((id) => `the token of ${id} is still claimed in Redis`),
  ],
});

const userOf = (token: number): string => `player-${token}`;
/** Said only to who asks for one game and presents a token of another, which no launcher and no game server here does. */
const repliesOfOthers: ReadonlySet<string> = new Set(['GAME_MISMATCH', 'OTT_OF_ANOTHER']);

/** A reply over the log was for the one who received it: the session belongs to the player who asked, the token to the PC. */
export const repliesReachTheirCallers: Check = ({ sittings, verifies, byPc }) => {
  const users = new Map(sittings.map(({ id, log, partner }) => [id, log?.user ?? partner?.user]));
  return together(
    each(
      verifies.filter(({ outcome }) => outcome === 'VALID'),
      ({ session, token = 0, pc, at }) => {
        const user = users.get(session ?? '') ?? userOf(token);
        return (
          user !== userOf(token) && `${pc} received ${session} of ${user} at ${at} ms, not of its own player`
        );
      },
    ),
    each([...byPc.values()].flat(), ({ pc, op, outcome, at }) =>
      repliesOfOthers.has(outcome) ? `${pc} received ${outcome} for its ${op} at ${at} ms` : undefined,
    ),
  );
};

const plays = { beat: heartbeat, end };
const resultsOf: Readonly<Record<keyof typeof plays, readonly string[]>> = {
  beat: heartbeatResult.options,
  end: ['SUCCESS'],
};

/** Whether the contract of the single call has this answer. */
const isInContract = (op: keyof typeof plays, status: number, outcome: string): boolean => {
  if (status === 200) return resultsOf[op].includes(outcome);
  const codes: readonly ErrorCode[] = plays[op].errors;
  return codes.some((code) => code === outcome && errors[code].status === status);
};

/** Who asked rightly is answered as the contract of the single call says, status and code, in a batch too (D-41). */
export const answersAreInContract: Check = ({ sittings }) => {
  const answered = sittings.flatMap(({ id, calls }) => calls.map((call) => ({ id, call })));
  return each(
    answered.filter(({ call }) => !isUnsure(call)),
    ({ id, call: { op, status, outcome, at, batch } }) =>
      (op === 'beat' || op === 'end') &&
      !isInContract(op, status, outcome) &&
      `${id} received ${status} ${outcome} for its ${op} at ${at} ms${batch === undefined ? '' : ', in a batch'}`,
  );
};
