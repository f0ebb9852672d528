import type { Publish, Sealed } from '#libs/contracts/delivery.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { Ids } from '#libs/kernel/partition-pins.ts';
import type { SendReply } from '#libs/messaging/reply-router.ts';
import type { Request } from '#libs/messaging/request.ts';
import type { RequestTogether } from '#libs/messaging/request-together.ts';
import type { Current, Decision, RecordRead, RecordStore, Updated } from '#libs/records/record-types.ts';
import type { TurnLength } from '#libs/runtime/turns.ts';
import type { LauncherChange } from './core/launcher-change.ts';
import type { Heard, Session } from './core/session.ts';

/** The game that an API key belongs to. */
export interface Caller {
  readonly gameId: string;
  /** The part of the API key that is not secret. */
  readonly keyId: string;
  /** Whether the game wants play to begin while the partner does not answer (D-12). */
  readonly outagePolicy: 'continue' | 'refuse';
}

/** What the launcher of the session's PC did last. */
interface LauncherOfPc {
  readonly launcher: LauncherChange | undefined;
}

/** A session as it was read, and what is known of its PC. */
export type SessionRead = RecordRead<Session> & LauncherOfPc;

/** What an update of a session decides on. */
export type CurrentSession = Current<Session> & LauncherOfPc;

/** A session after its heartbeat: what the caller hears of it, and the whole of it in wire form, for the log. */
export interface Beaten {
  readonly nowMs: number;
  readonly session: Heard;
  readonly cafeId: string;
  readonly json: string;
}

/** Where the partitions of the log ended, by name. */
export type LogEnds = ReadonlyMap<string, number>;

/** What was written to the log lately, by partition; each key's newest state, in batches. */
export interface RecentLog {
  readonly sessionParts: readonly string[];
  readonly launcherParts: readonly string[];
  sessions(part: string, onSessions: (sessions: readonly Session[]) => Promise<void>): Promise<void>;
  /** What the launcher of each PC did last. */
  launchers(
    part: string,
    onChanges: (changes: readonly (readonly [pcId: string, change: LauncherChange])[]) => Promise<void>,
  ): Promise<void>;
  readonly ends: LogEnds;
}

/** What is stored for an Idempotency-Key (D-15); without an answer the request is in flight. */
export interface StoredResponse {
  readonly bodyHash: string;
  readonly answer?: unknown;
}

/** A session whose newest state is not on the log yet. */
export interface PendingEvent {
  readonly gameSessionId: string;
  readonly notedAtMs: string;
}

/** What the use cases of this service need from outside. */
export interface Ports {
  readonly limits: Limits;
  readonly waits: { readonly verifyMs: number; readonly heartbeatMs: number; readonly publishMs: number };
  readonly sessions: {
    read(gameSessionId: string): Promise<SessionRead>;
    /**
     * The session after a heartbeat of its game and user, where that is all there is to say: it is active, not overdue, and its launcher
     * is there. Undefined, and nothing is written: `updateByBeat` decides. Throws RATE_LIMITED where it has had too many (D-42).
     */
    beat(
      gameSessionId: string,
      whose: { readonly gameId: string; readonly providerUserId: string },
    ): Promise<Beaten | undefined>;
    /** The common ways for a session to be over, without deciding here. Undefined, and nothing is written: `update` decides. */
    readonly over: {
      /** The session after an end by its game, of which it plays; not once its caller cannot be answered any more. */
      end(
        gameSessionId: string,
        by: { readonly gameId: string; readonly clientSec?: number | undefined },
      ): Promise<Session | undefined>;
      /** The session after its deadline: ended by silence, ending still and due again later, or forgotten. */
      due(gameSessionId: string): Promise<Session | 'forgotten' | undefined>;
      /** The session after the partner has confirmed its stop. */
      stopped(gameSessionId: string, partnerSec: number): Promise<Session | undefined>;
    };
    /** Decides and writes by compare-and-set (see RecordStore); `pcId` is needed only where the session may not exist yet. */
    update(
      gameSessionId: string,
      decide: (current: CurrentSession) => Decision<Session>,
      pcId?: string,
      options?: { readonly isNew?: boolean },
    ): Promise<Updated<Session>>;
    /** As `update`, at most as often as a session may have heartbeats (D-42): throws RATE_LIMITED, and nothing is written. */
    updateByBeat(
      gameSessionId: string,
      decide: (current: CurrentSession) => Decision<Session>,
    ): Promise<Updated<Session>>;
    /** The session that plays at a PC. */
    holderOf(pcId: string): Promise<string | undefined>;
    /** Remembers what the PC's launcher did, unless something later is remembered already. */
    noteLauncher(pcId: string, change: LauncherChange): Promise<void>;
    /** Remembers what the launchers of many PCs did, as `noteLauncher` does, whether or not the view is trusted. */
    restoreLaunchers(changes: readonly (readonly [pcId: string, change: LauncherChange])[]): Promise<void>;
  } & Pick<RecordStore<Session>, 'restore' | 'settleContests'>;
  /** The outbox: sessions whose newest state the log did not take, at most one entry a session (D-23). */
  readonly pending: {
    add(gameSessionId: string): Promise<void>;
    /** The oldest entries, at most `batchSize` of each shard, without those that another replica publishes now. */
    oldest(batchSize: number): Promise<PendingEvent[]>;
    /** Removes an entry, unless the session was added again since. */
    remove(event: PendingEvent): Promise<void>;
  };
  /** Reads the log; rejects when it cannot be read, or with what was thrown meanwhile. */
  readonly recentLog: {
    open<T>(signal: AbortSignal, use: (log: RecentLog) => Promise<T>): Promise<T>;
    /** The sessions that were written behind these ends; resolves to the ends now. */
    behind(
      ends: LogEnds,
      signal: AbortSignal,
      onSessions: (sessions: readonly Session[]) => Promise<void>,
    ): Promise<LogEnds>;
  };
  /** How often a game may present tokens that are none (D-42). Each throws UNAVAILABLE where that cannot be told. */
  readonly rateLimits: {
    /** Before a token is presented; throws RATE_LIMITED. */
    verify(caller: Caller): Promise<void>;
    /** The token was expired, used, unknown or another game's. */
    guess(caller: Caller): Promise<void>;
  };
  readonly tokens: { hash(token: string): string };
  readonly idempotency: {
    /** Reserves the name for a request that begins now; resolves to what is stored where another request has it. */
    begin(name: string, bodyHash: string): Promise<StoredResponse | undefined>;
    store(name: string, response: StoredResponse): Promise<void>;
    release(name: string): Promise<void>;
  };
  readonly ids: Ids;
  /** What the partner has said of cafes' balances lately (D-62). */
  readonly balances: {
    /** The partner told what is left of a cafe's balance, in seconds. */
    told(cafeId: string, remainingSec: number): void;
    /** Counts a heartbeat; whether it is OK without the partner's answer to it: many come, and the cafe's balance lasts. */
    heartbeatCame(cafeId: string): boolean;
    /** How long many heartbeats gather: briefly where most of the last second went without the partner (D-56). */
    heartbeatsGather(): TurnLength;
  };
  /** What operators watch and no event tells. */
  readonly notes: {
    /** A heartbeat came for a session that had expired by silence. */
    lateHeartbeat(gameId: string): void;
    /** A heartbeat was answered without the partner (D-62). */
    heartbeatNotAwaited(gameId: string): void;
    /** An amnesty postponed the session's expiry (D-11). */
    spared(gameId: string): void;
    /**
     * The partner confirmed a session's stop: noted once, however often it does. Not at all where Redis noted it and could not say so: the day's
     * reconciliation has it (D-29).
     */
    stopConfirmed(session: Session): void;
    /** A game asked for a session of another game, which it is told is unknown (D-05). */
    foreignSession(caller: Caller): void;
  };
  /** The W3C trace that the running code is part of. */
  traceparent(): string | null;
  readonly request: Request;
  readonly requestTogether: RequestTogether;
  /** Publishes a heartbeat for whose renewal nobody waits; while the log is down it is left pending (D-23). */
  readonly publishHeartbeatLater: (event: Sealed) => void;
  readonly reply: SendReply;
  readonly publish: Publish;
  /** As `publish`, for the ends of many. */
  readonly publishSessions: (name: 'game-session.ending', sessions: readonly Session[]) => Promise<void>;
}
