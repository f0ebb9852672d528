import { specLimits as limits } from '#libs/kernel/limits.ts';
import { close } from '../../../services/game-session/core/session.ts';
import type { Session } from '../../../services/game-session/core/session.ts';
import type { EndReason } from '../../../services/game-session/core/session-states.ts';
import type { Ott } from '../../../services/ott/core/ott.ts';

export const amnestyMs = (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000;
const graceMs = limits.graceSec * 1000;
export const isLive = ({ state }: Session) => state === 'active' || state === 'charge_exhausted';

/** Both tables and who sits where, as the services' stores hold them; `wrongs` is what should never have happened. */
export const newWorld = () => ({
  nowMs: 1_700_000_000_000,
  amnestyUntilMs: 0,
  suspendedUntilMs: 0,
  serial: 0,
  tokens: new Map<string, Ott>(),
  latest: new Map<string, string>(),
  sessions: new Map<string, Session>(),
  seats: new Map<string, string>(),
  sessionOfToken: new Map<string, string>(),
  wrongs: [] as string[],
});
export type World = ReturnType<typeof newWorld>;

/** I4 and I6 of one step: an ended session never lives again, seconds stay within the session and are final at its end. */
const judge = (world: World, before: Session | undefined, after: Session): void => {
  const { wrongs, nowMs } = world;
  const endMs = after.endedAtMs ?? nowMs;
  if (endMs > nowMs) wrongs.push('I4: a session ended in the future');
  if (after.playDurationSec * 1000 > endMs - after.startedAtMs) wrongs.push('I4: more seconds than session');
  if (before === undefined) return;
  if (after.version !== before.version + 1) wrongs.push('I6: a version was skipped');
  if (!isLive(before) && isLive(after)) wrongs.push('I6: an ended session lives again');
  if (!isLive(before) && after.playDurationSec !== before.playDurationSec)
    wrongs.push('I4: final seconds changed');
  if (after.playDurationSec < before.playDurationSec && after.endReason === null)
    wrongs.push('I4: play shrank');
};

/** I5 of an end: only the late are expired, and nobody while we were away ourselves. */
const judgeEnd = (
  { wrongs, nowMs, amnestyUntilMs, suspendedUntilMs }: World,
  before: Session,
  reason: EndReason,
): void => {
  if (reason !== 'silence' && reason !== 'grace_over') return;
  if (nowMs < amnestyUntilMs) wrongs.push('I5: expired though we were away');
  if (reason === 'silence' && nowMs < suspendedUntilMs) wrongs.push('I5: silence that was not believed');
  if (reason === 'silence' && nowMs - before.lastSeenAtMs < amnestyMs) wrongs.push('I5: expired too early');
  if (reason === 'grace_over' && nowMs - (before.exhaustedAtMs ?? nowMs) < graceMs)
    wrongs.push('I5: grace cut short');
};

/** Stores what a session became, and judges the step. */
export const put = (world: World, after: Session | undefined): void => {
  if (after === undefined) return;
  judge(world, world.sessions.get(after.gameSessionId), after);
  world.sessions.set(after.gameSessionId, after);
  if (!isLive(after) && world.seats.get(after.pcId) === after.gameSessionId) world.seats.delete(after.pcId);
};
/** Ends a session, and judges whether it may. */
export const end = (world: World, session: Session, reason: EndReason): void => {
  if (isLive(session)) judgeEnd(world, session, reason);
  put(world, close(session, { reason, nowMs: world.nowMs }, limits));
};

/** I1 and I2 of the whole world. */
export const judgeWorld = ({ sessions, seats, sessionOfToken, wrongs }: World): void => {
  const live = [...sessions.values()].filter(isLive);
  if (new Set(live.map(({ pcId }) => pcId)).size < live.length) wrongs.push('I2: two live sessions on a PC');
  if (live.some(({ pcId, gameSessionId }) => seats.get(pcId) !== gameSessionId))
    wrongs.push('I2: a live session without its seat');
  if (new Set(sessionOfToken.values()).size !== sessions.size)
    wrongs.push('I1: a session without a token of its own');
};
