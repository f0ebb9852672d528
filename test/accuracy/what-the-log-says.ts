import { gameSessionEnding } from '#libs/contracts/events/game-sessions.ts';
import { billingConfirmed } from '#libs/contracts/events/billing.ts';
import { deadLetter } from '#libs/contracts/events/dead-letters.ts';
import type { LineOf } from './history.ts';

const isPlay = (state: string): boolean => state === 'active' || state === 'charge_exhausted';

/** Another heartbeat says nothing about the life of a session, unless it is newer than its end; a repeated event says nothing at all. */
const isStep = (steps: LineOf<'log'>['steps'], version: number, state: string): boolean => {
  if (steps.some(([known, was]) => known === version && was === state)) return false;
  const end = steps.find(([, was]) => !isPlay(was));
  return !isPlay(state) || steps.length === 0 || (end !== undefined && version > end[0]);
};

/** What the log has said of sessions so far, and of dead letters. */
export const createReading = () => {
  const sessions = new Map<string, LineOf<'log'>>();
  const refused = new Set<string>();
  /** Of sessions whose end was made again, these ends. */
  const endsAgain = new Map<string, LineOf<'log'>>();
  const reasons: string[] = [];
  /**
   * The end of play is what `game-session.ending` says, also of a session that never began and has ended already (D-34). One that is made again
   * (D-60) counts where no other was told: a start that comes after its refusal tells of no other.
   */
  const noteSession = (name: string, json: unknown): void => {
    const { session, again } = gameSessionEnding.parse(json);
    const state = name === 'game-session.ending' ? 'ending' : session.state;
    const { game_session_id: id, provider_user_id: user, pc_id: pc } = session;
    const known = again ? endsAgain : sessions;
    const line: LineOf<'log'> = known.get(id) ?? {
      ...{ kind: 'log', id, user, pc, refused: false, stoppedAgain: false },
      steps: [],
    };
    if (isStep(line.steps, session.version, state))
      line.steps.push([session.version, state, session.play_duration_sec]);
    known.set(id, line);
  };
  const withEnd = (line: LineOf<'log'>): LineOf<'log'> => {
    const again = endsAgain.get(line.id);
    const isTold = line.steps.some(([, state]) => state === 'ending');
    return again && !isTold ? { ...line, steps: [...line.steps, ...again.steps] } : line;
  };
  const noteConfirmation = (json: unknown): void => {
    const { order, outcome } = billingConfirmed.parse(json);
    if (outcome === 'refused') refused.add(order.game_session_id);
  };
  return {
    note: (name: string | undefined, json: unknown): void => {
      if (name?.startsWith('game-session.')) noteSession(name, json);
      if (name === 'billing.confirmed') noteConfirmation(json);
      if (name === 'dead-letter.recorded') reasons.push(deadLetter.parse(json).reason);
    },
    lines: (): (LineOf<'log'> | LineOf<'dead'>)[] => [
      ...[...new Map([...endsAgain, ...sessions]).values()].map((line) => ({
        ...withEnd(line),
        refused: refused.has(line.id),
        stoppedAgain: endsAgain.has(line.id),
      })),
      { kind: 'dead', count: reasons.length, reasons: [...new Set(reasons)] },
    ],
  };
};
