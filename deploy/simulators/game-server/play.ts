import type { GameServer } from './game-server.ts';

/** Time as a game server has it; a test may pass its own. */
export interface Watch {
  nowMs(): number;
  sleep(ms: number): Promise<void>;
}

/** How a player's game went, as the game server measured it. */
export interface Played {
  readonly outcome: 'left' | 'removed' | 'replaced' | 'relaunch' | 'recharge' | 'refused';
  readonly gameSessionId?: string;
  readonly playDurationSec: number;
  /** The last answer: a reason, result or error code. */
  readonly lastAnswer: string;
  readonly notified: boolean;
}

interface PlayOptions {
  readonly server: GameServer;
  readonly ott: string;
  readonly providerUserId: string;
  /** How long the player stays, in seconds. */
  readonly forSec: number;
  readonly watch: Watch;
}

/** Spec 4.1: what a game server does about each reason. */
const onRefusal = {
  OTT_EXPIRED: 'relaunch',
  NOT_CHARGEABLE: 'recharge',
  OTT_ALREADY_USED: 'refused',
  GAME_MISMATCH: 'refused',
} as const;

const seconds = (watch: Watch, sinceMs: number) => Math.floor((watch.nowMs() - sinceMs) / 1000);

/** Plays as the specification tells callers to: heartbeats when asked, stops on 404, 410 and SESSION_REPLACED, never ends a replaced session. */
export const play = async ({ server, ott, providerUserId, forSec, watch }: PlayOptions): Promise<Played> => {
  const verified = await server.verify(ott, providerUserId);
  const none = { playDurationSec: 0, notified: false };
  if (!verified.ok) return { ...none, outcome: 'refused', lastAnswer: verified.code };
  if (!verified.data.isValid) {
    const { reason } = verified.data;
    return { ...none, outcome: onRefusal[reason], lastAnswer: reason };
  }
  const { gameSessionId } = verified.data;
  const sinceMs = watch.nowMs();
  let notified = false;
  let waitSec = 0;
  while (seconds(watch, sinceMs) + waitSec < forSec) {
    await watch.sleep(waitSec * 1000);
    const answer = await server.heartbeat(gameSessionId, providerUserId);
    const played = { gameSessionId, playDurationSec: seconds(watch, sinceMs), notified };
    if (!answer.ok && answer.status < 500) return { ...played, outcome: 'removed', lastAnswer: answer.code };
    if (answer.ok && answer.data.result === 'SESSION_REPLACED')
      return { ...played, outcome: 'replaced', lastAnswer: 'SESSION_REPLACED' };
    notified ||= answer.ok && answer.data.result === 'CHARGE_EXHAUSTED';
    waitSec = answer.ok ? answer.data.nextHeartbeatIn : 1;
  }
  await watch.sleep(Math.max(0, forSec - seconds(watch, sinceMs)) * 1000);
  const playDurationSec = seconds(watch, sinceMs);
  const ended = await server.end(gameSessionId, playDurationSec);
  return {
    gameSessionId,
    playDurationSec,
    notified,
    outcome: 'left',
    lastAnswer: ended.ok ? 'SUCCESS' : ended.code,
  };
};
