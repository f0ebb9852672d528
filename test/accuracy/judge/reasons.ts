import { doneByMs, gotMs, isUnsure } from './world.ts';
import type { Sitting, World } from './world.ts';

type Call = Sitting['calls'][number];

/** Why a session was over when a call was answered so, and whether the player had given a reason for it. */
export interface Why {
  readonly isFair: boolean;
  readonly what: string;
}

const fairIf = (isFair: boolean, what: string): Why => ({ isFair, what });

const somebody = (world: World, sitting: Sitting, call: Call, did: (other: Call) => boolean): boolean =>
  (world.byPc.get(sitting.pc) ?? []).some((other) => other.at <= gotMs(call) && did(other));

/** The game server tried to say that the player plays, never more than the expiry apart. */
const triedInTime = (world: World, sitting: Sitting, call: Call): boolean => {
  const tries = sitting.calls.filter(({ at, op }) => op === 'beat' && at < call.at).map(({ at }) => at);
  const instants = [sitting.knownMs ?? call.at, ...tries, call.at];
  return instants.every((at, index) => at - (instants[index - 1] ?? at) < world.limits.expiryMs);
};

/**
 * The session was told that the balance is used up, or may have been, a whole grace before (D-37), and no top-up took that back (D-08). A
 * heartbeat that was under way then takes nothing back, and neither does one in whose time the grace may have ended.
 */
const wasTold = ({ limits: { graceMs } }: World, { calls }: Sitting, call: Call): boolean => {
  const beats = calls.filter(({ op }) => op === 'beat');
  const isTakenBack = (told: Call): boolean =>
    beats.some(
      (beat) => beat.outcome === 'OK' && beat.at > doneByMs(told) && gotMs(beat) < told.at + graceMs,
    );
  return beats
    .filter((beat) => beat.outcome === 'CHARGE_EXHAUSTED' || isUnsure(beat))
    .some((told) => told.at + graceMs <= gotMs(call) && !isTakenBack(told));
};

/** A game began with this verify, or may have begun. */
const mayHaveBegun = (call: Call): boolean =>
  call.op === 'verify' && (call.outcome === 'VALID' || isUnsure(call));

/** Looks for what the player, the launcher or the cafe did that ended the session. */
export const whyOver = (world: World, sitting: Sitting, call: Call): Why => {
  const { settled, token = 0 } = sitting;
  switch (settled?.reason) {
    case 'game_ended':
      return fairIf(
        sitting.calls.some(({ op, at }) => op === 'end' && at <= gotMs(call)),
        'it was ended, and no game server had asked for it',
      );
    case 'replaced':
      return fairIf(
        somebody(world, sitting, call, (other) => mayHaveBegun(other) && (other.token ?? 0) > token),
        'it was replaced, and nobody else sat down at its PC',
      );
    case 'launcher_ended':
      return fairIf(
        somebody(world, sitting, call, ({ op, at }) => op === 'close' && at >= sitting.askedMs),
        'its launcher was taken for closed, and it was not',
      );
    case 'grace_over':
      return fairIf(
        wasTold(world, sitting, call) &&
          world.faults.some(({ name, at }) => name === 'balance' && at + world.limits.graceMs <= gotMs(call)),
        'its grace was over, and it had not been told, or the balance had not run out',
      );
    case 'silence':
      return fairIf(
        call.op === 'end' || !triedInTime(world, sitting, call),
        'it expired, although its heartbeats came in time',
      );
    default:
      return fairIf(
        false,
        `it was over (${settled?.reason ?? 'in no ledger'}), and nobody had given a reason`,
      );
  }
};
