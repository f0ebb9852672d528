import type { Publish } from '#libs/contracts/delivery.ts';
import type { Reply } from '#libs/contracts/events.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { SendReply } from '#libs/messaging/reply-router.ts';
import type { Request } from '#libs/messaging/request.ts';
import type { SingleFlight } from '#libs/runtime/single-flight.ts';
import type { Game } from '#libs/catalog/catalog.ts';
import type { Instant, LauncherSession } from './core/launcher-session.ts';

/** Who signed a session start: a cafe, by one of its keys. */
export interface Signer {
  readonly cafeId: string;
}

/** Who holds a session token, and from which address this request came. */
export interface Holder {
  readonly session: LauncherSession;
  readonly ip: string;
}

/** What one look tells: the instant, the session, and who sits at its PC. */
export interface Look extends Instant {
  readonly session: LauncherSession | undefined;
  readonly holder: string | undefined;
}

/** One change of a commit; `seat`: who was seen at the PC, and who sits there from now on. */
export interface LauncherChange {
  readonly before: LauncherSession | undefined;
  readonly after: LauncherSession | undefined;
  readonly seat?: { readonly before: string | undefined; readonly after: string | undefined };
}

/** What the use cases of this service need from outside. */
export interface Ports {
  readonly limits: Limits;
  readonly waits: { readonly checkMs: number; readonly ottMs: number; readonly publishMs: number };
  readonly sessions: {
    look(id: string, pcId?: string): Promise<Look>;
    commit(changes: readonly LauncherChange[]): Promise<boolean>;
  };
  readonly cafes: {
    /** The cafe known for an address a moment ago. */
    remembered(ip: string): Promise<string | undefined>;
    remember(ip: string, cafeId: string): Promise<void>;
  };
  /** Checks of addresses that are in flight: all PCs of a cafe have one address, and often ask at once. */
  readonly checks: SingleFlight<Reply<'cafe-check.requested'> | undefined>;
  readonly catalog: { games(): readonly Game[]; game(gameId: string): Game | undefined };
  readonly tokens: {
    /** A session token of 256 random bits for a PC, with the id and hash that it is stored under. */
    fresh(pcId: string): { token: string; id: string; tokenHash: string };
    pcId(cafeId: string, machineId: string): string;
    /** The public key that one-time tokens are sealed for, and the way back (D-18). */
    readonly replyKey: string;
    open(sealedToken: string): string;
  };
  readonly ids: { uuid(): string };
  readonly request: Request;
  readonly reply: SendReply;
  readonly publish: Publish;
}
