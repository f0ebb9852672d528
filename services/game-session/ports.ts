import type { Publish } from '#libs/contracts/delivery.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { SendReply } from '#libs/messaging/reply-router.ts';
import type { Request } from '#libs/messaging/request.ts';
import type { Session } from './core/session.ts';

/** The game that an API key belongs to. */
export interface Caller {
  readonly gameId: string;
  /** What the game wants while the partner does not answer (D-12). */
  readonly outagePolicy: 'continue' | 'refuse';
}

/** What one look tells: the session, who sits at its PC, and when that PC's launcher lapsed, if it did. */
export interface Look {
  readonly nowMs: number;
  readonly session: Session | undefined;
  readonly holder: string | undefined;
  readonly launcherLapsedAtMs: number | undefined;
  /** Until when nothing expires because we were away (D-11). */
  readonly amnestyUntilMs: number;
}

/** One change of a commit. `seat`: who was seen to sit at the PC, and who sits there from now on. */
export interface SessionChange {
  readonly before: Session | undefined;
  readonly after: Session | undefined;
  readonly seat?: { readonly before: string | undefined; readonly after: string | undefined };
}

/** What is kept of a request with an Idempotency-Key (D-15); no answer yet: it is in flight. */
export interface StoredResponse {
  readonly bodyHash: string;
  readonly answer?: unknown;
}

/** What the use cases of this service need from outside. */
export interface Ports {
  readonly limits: Limits;
  readonly waits: { readonly verifyMs: number; readonly heartbeatMs: number; readonly publishMs: number };
  readonly sessions: {
    /** `pcId` is needed only where the session may not exist yet. */
    look(gameSessionId: string, pcId?: string): Promise<Look>;
    /** All or nothing; false: somebody was faster. Sessions of one commit share a PC. */
    commit(changes: readonly SessionChange[]): Promise<boolean>;
    holderOf(pcId: string): Promise<string | undefined>;
    /** Undefined: the launcher is back. */
    markLapse(pcId: string, lapsedAtMs: number | undefined): Promise<void>;
    /** Puts back what the log knows, where nothing newer is here. */
    restore(known: readonly { session: Session; launcherLapsedAtMs: number | undefined }[]): Promise<void>;
  };
  /** Sessions whose newest state the log did not take. */
  readonly unsaid: {
    note(gameSessionId: string): Promise<void>;
    /** The oldest notes, at most `bite` of each shard. */
    oldest(bite: number): Promise<{ gameSessionId: string; notedAtMs: string }[]>;
    /** Takes a note away, unless it was noted again. */
    said(note: { gameSessionId: string; notedAtMs: string }): Promise<void>;
  };
  /** What the recent log knows; rejects when it cannot be read. */
  readonly past: {
    /** The newest state of every session. */
    sessions(signal: AbortSignal): Promise<Session[]>;
    /** The PCs whose launcher lapsed and has not come back, with the moment in ms since the epoch. */
    lapsedPcs(signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  };
  readonly tokens: { hash(token: string): string };
  readonly answers: {
    /** Takes the name for a request that begins now; gives what is known when somebody has it already. */
    begin(name: string, bodyHash: string): Promise<StoredResponse | undefined>;
    keep(name: string, kept: StoredResponse): Promise<void>;
    drop(name: string): Promise<void>;
  };
  readonly ids: { uuid(): string };
  /** The W3C trace that the running code is part of. */
  traceparent(): string | null;
  readonly request: Request;
  readonly reply: SendReply;
  readonly publish: Publish;
}
