import fc from 'fast-check';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import {
  begin,
  beat,
  deplete,
  recharge,
  remind,
  settle,
  warn,
} from '../../../services/game-session/core/session.ts';
import type { Session } from '../../../services/game-session/core/session.ts';
import { overdueReason, sparedUntilMs, spare } from '../../../services/game-session/core/deadlines.ts';
import { endResponse, heartbeatResponse } from '../../../services/game-session/core/responses.ts';
import { claim, giveBack, verdictOn } from '../../../services/ott/core/claim.ts';
import { advance, mint, afterDeadline as ottAfterDeadline } from '../../../services/ott/core/ott.ts';
import { amnestyMs, end, isLive, judgeWorld, newWorld, put } from './spec-world.ts';
import type { World } from './spec-world.ts';

const pcs = ['0', '1'].map((digit) => `pc_${digit}${'0'.repeat(31)}`);
const games = ['starfall', 'moonrise'];
const id = (serial: number) => `00000000-0000-4000-8000-${String(serial).padStart(12, '0')}`;

const pick = <T>(items: Iterable<T>, who: number): T | undefined => {
  const all = [...items];
  return all[who % all.length];
};

const issue = (world: World, who: number): void => {
  const [pcId, gameId] = [pick(pcs, who)!, pick(games, who >> 1)!];
  const earlier = world.tokens.get(world.latest.get(pcId + gameId) ?? '');
  const voided = earlier && advance(earlier, 'void', limits);
  if (voided) world.tokens.set(voided.tokenHash, voided);
  const tokenHash = String((world.serial += 1)).padStart(64, '0');
  const seat = { cafeId: 'cafe-1', pcId, gameId, isPcCafe: true, launcherSessionId: id(0) };
  const request = { ...seat, ottRequestId: id(world.serial), tokenHash, replyKey: 'AAAA' };
  world.tokens.set(tokenHash, mint({ ...request, traceparent: null }, world.nowMs, limits));
  world.latest.set(pcId + gameId, tokenHash);
};

const present = (world: World, who: number): void => {
  const ott = pick(world.tokens.values(), who);
  if (ott === undefined) return;
  const { tokenHash } = ott;
  const presentation = {
    ...{ presentationId: id((world.serial += 1)), tokenHash, providerUserId: 'u1' },
    gameId: who % 7 === 0 ? 'no-game' : ott.gameId,
    ...{ outagePolicy: 'continue' as const, deadlineMs: undefined, acceptedAtVersion: 0 },
    eventId: id(world.serial),
  };
  if (verdictOn(ott, presentation, world.nowMs) !== 'claims') return;
  if (world.sessionOfToken.has(tokenHash)) world.wrongs.push('I1: a spent token was accepted');
  const hash = (text: string) => text.replace(/\D/g, '').slice(-32).padStart(32, '0');
  world.tokens.set(tokenHash, claim(ott, presentation, world.nowMs, { limits, hash })!);
};

/** Billing starts for a claim: the token is consumed, the session takes the PC's seat, and the one that held it is replaced. */
const start = (world: World, who: number): void => {
  const ott = pick(world.tokens.values(), who);
  if (!ott?.claim || ott.state !== 'claimed') return;
  world.tokens.set(ott.tokenHash, advance(ott, 'consume', limits)!);
  if (world.sessionOfToken.has(ott.tokenHash)) world.wrongs.push('I1: a token gave two sessions');
  const { cafeId, pcId, gameId, isPcCafe, launcherSessionId, tokenHash, claim } = ott;
  const { gameSessionId, presentationId, providerUserId } = claim;
  world.sessionOfToken.set(tokenHash, gameSessionId);
  const seat = { cafeId, pcId, gameId, isPcCafe, launcherSessionId, providerUserId };
  const order = { ...seat, tokenHash, gameSessionId, presentationId, startedAtMs: claim.claimedAtMs };
  const holder = world.sessions.get(world.seats.get(pcId) ?? '');
  if (holder) end(world, holder, 'replaced');
  put(world, begin({ order, pending: false, remainingSec: 1 }, limits));
  world.seats.set(pcId, gameSessionId);
};

const refuse = (world: World, who: number): void => {
  const ott = pick(world.tokens.values(), who);
  const back = ott?.claim ? giveBack(ott, ott.claim.gameSessionId, limits) : undefined;
  if (back) world.tokens.set(back.tokenHash, back);
};

const heartbeat = (world: World, session: Session): void => {
  const reason = overdueReason(session, world, limits);
  const inTime = world.nowMs - session.lastSeenAtMs <= limits.sessionExpirySec * 1000;
  if (session.state === 'active' && inTime && reason)
    world.wrongs.push('I5: a heartbeat in time found it expired');
  const playing = ['OK', 'CHARGE_EXHAUSTED'].includes(heartbeatResponse(session));
  if (isLive(session) !== playing) world.wrongs.push('I6: a heartbeat receives the wrong response');
  if (isLive(session) !== (endResponse(session) === 'SUCCESS'))
    world.wrongs.push('I6: an end receives the wrong response');
  if (reason) end(world, session, reason);
  else put(world, beat(session, world.nowMs, limits));
  const beaten = world.sessions.get(session.gameSessionId);
  if (beaten?.state === 'charge_exhausted') put(world, warn(beaten, world.nowMs, limits));
};

const sweep = (world: World): void => {
  const { nowMs, sessions, tokens } = world;
  for (const ott of tokens.values()) {
    const after = ottAfterDeadline(ott, nowMs, limits);
    if (after !== undefined && after !== 'forget') tokens.set(after.tokenHash, after);
  }
  for (const session of sessions.values()) {
    if (nowMs < session.deadlineAtMs || session.state === 'ended') continue;
    const reason = overdueReason(session, world, limits);
    if (reason) end(world, session, reason);
    else put(world, spare(session, sparedUntilMs(session, world, limits)) ?? remind(session, nowMs));
  }
};

const onSession = (act: (world: World, session: Session) => void) => (world: World, who: number) => {
  const session = pick(world.sessions.values(), who);
  if (session) act(world, session);
};
/** Of some sessions in one moment, each as if it were alone (D-41). */
const inABatch = (act: (world: World, session: Session) => void) => (world: World, who: number) => {
  for (const [at, session] of [...world.sessions.values()].entries())
    if ((who >> (at % 5)) % 2 === 0) act(world, session);
};
/** Three steps at once, so that histories have players in them. */
const sitDown = (world: World, who: number): void => {
  issue(world, who);
  present(world, world.tokens.size - 1);
  start(world, world.tokens.size - 1);
};
const triggers: Record<string, (world: World, who: number) => void> = {
  'a player sits down': sitDown,
  'a launcher asks for a token': issue,
  'a game server presents a token': present,
  'billing starts': start,
  'billing is refused': refuse,
  'a heartbeat': onSession(heartbeat),
  'the balance runs out': onSession((world, session) => put(world, deplete(session, limits))),
  'a top-up': onSession((world, session) => put(world, recharge(session, limits))),
  'an end': onSession((world, session) => end(world, session, 'game_ended')),
  'a batch of heartbeats': inABatch(heartbeat),
  'a batch of ends': inABatch((world, session) => end(world, session, 'game_ended')),
  'the launcher closes': onSession((world, session) => end(world, session, 'launcher_ended')),
  'the launcher lapsed': onSession((world, session) => end(world, session, 'launcher_lapsed')),
  'the partner confirms a stop': onSession((world, session) =>
    put(world, settle(session, 0, world.nowMs, limits)),
  ),
  'a sweep': sweep,
  'we come back after an outage': (world) => {
    world.amnestyUntilMs = world.nowMs + amnestyMs;
    world.suspendedUntilMs = Math.max(world.suspendedUntilMs, world.amnestyUntilMs);
  },
  'silence is not believed for a while': (world) => {
    world.suspendedUntilMs = Math.max(world.suspendedUntilMs, world.nowMs + amnestyMs / 2);
  },
};

const step = fc.record({
  trigger: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...Object.keys(triggers)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('a player sits down', 'a heartbeat', 'the balance runs out', 'a sweep'),
    },
  ),
  who: fc.nat(50),
  waitSec: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 30 }) },
    { weight: 1, arbitrary: fc.constantFrom(60, 90, 120, 240, 245, 300) },
  ),
});

describe('10,000 random histories of both tables, with several tokens and PCs', () => {
  test('hold I1 (a token, a session), I2 (a PC, a live session), I4 (seconds), I5 (in time never expires) and I6 (over is over)', () => {
    const seed = Date.now();
    const seen = new Map<string, number>();
    const property = fc.property(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), (steps) => {
      const world = newWorld();
      for (const { trigger, who, waitSec } of steps) {
        world.nowMs += waitSec * 1000;
        triggers[trigger]!(world, who);
        judgeWorld(world);
        if (world.wrongs.length > 0) throw new Error(`${trigger}: ${world.wrongs.join('; ')}`);
      }
      for (const { state, endReason } of world.sessions.values()) {
        const what = endReason ?? state;
        seen.set(what, (seen.get(what) ?? 0) + 1);
      }
    });
    console.log(`seed ${seed}`);

    fc.assert(property, { numRuns: 10_000, seed });

    // Histories that reach nothing would hold anything.
    const ends = ['game_ended', 'launcher_ended', 'launcher_lapsed', 'replaced', 'silence', 'grace_over'];
    for (const what of ['active', 'charge_exhausted', ...ends])
      expect(seen.get(what) ?? 0).toBeGreaterThan(100);
  });
});
