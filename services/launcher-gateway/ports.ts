import type { Publish } from '#libs/contracts/delivery.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { Ids } from '#libs/kernel/partition-pins.ts';
import type { RateLimit } from '#libs/kernel/rate.ts';
import type { SendReply } from '#libs/messaging/reply-router.ts';
import type { Request } from '#libs/messaging/request.ts';
import type { RecordRead, RecordStore } from '#libs/records/record-types.ts';
import type { SingleFlight } from '#libs/runtime/single-flight.ts';
import type { Game } from '#libs/catalog/catalog.ts';
import type { LauncherSession } from './core/launcher-session.ts';

/** The cafe that signed a session start, with which key, and the address of the request. */
export interface SignedCaller {
  readonly cafeId: string;
  readonly keyId: string;
  readonly keyFingerprint: string;
  /** Whether the PC signed with a key of its own, and not with the one that all PCs of the cafe have (D-48). */
  readonly isOwnKey: boolean;
  /** How many PCs the cafe has, where its key says so. */
  readonly pcs?: number | undefined;
  readonly ip: string;
}

/** The launcher session of the request's bearer token, and what was read of it. */
export interface SessionCaller {
  readonly session: LauncherSession;
  readonly read: RecordRead<LauncherSession>;
  /** The address of the request. Throws where it can be nobody's (D-20), which is no reason to let a session go on that its launcher ends. */
  readonly ip: () => string;
}

/** What the partner said of an address; one that is not fresh is asked about again. */
export interface KnownCafe {
  readonly cafeId: string | null;
  readonly isFresh: boolean;
}

/** What the use cases of this service need from outside. */
export interface Ports {
  readonly limits: Limits;
  readonly waits: Readonly<
    Record<'checkMs' | 'ownBeatCheckMs' | 'ownTokenCheckMs' | 'ottMs' | 'publishMs', number>
  >;
  readonly sessions: Pick<RecordStore<LauncherSession>, 'read' | 'update' | 'holderOf'>;
  /** Which cafe an address belongs to, as the partner said last (null: to none); undefined where it has not said for an hour. */
  readonly cafeCache: {
    get(ip: string): Promise<KnownCafe | undefined>;
    set(ip: string, cafeId: string | null): Promise<void>;
  };
  /** How often launchers may try (D-42). Each throws RATE_LIMITED, and UNAVAILABLE where that cannot be told. */
  readonly rateLimits: {
    /** A start of a PC whose signature and address are right. */
    provenStart(caller: SignedCaller, pcId: string): Promise<void>;
    /** A question to the partner about an address, for a caller of this cafe. */
    ask(asking: Pick<LauncherSession, 'ip' | 'cafeId' | 'keyId'>): Promise<void>;
    /** A request of a PC's session from another address than it began at. */
    move(pcId: string): Promise<void>;
    /** How often a launcher session may have heartbeats; undefined: as often as it likes. */
    readonly heartbeats: RateLimit | undefined;
    /** A request for a token, of a PC. */
    token(pcId: string): Promise<void>;
  };
  /** Checks of addresses that are in flight: all PCs of a cafe have one address, and often ask at once. */
  readonly checks: SingleFlight<string | null>;
  readonly catalog: { games(): readonly Game[]; game(gameId: string): Game | undefined };
  readonly tokens: {
    /** A session token of 256 random bits for a PC, with the id and hash that it is stored under. */
    newToken(pcId: string): { token: string; id: string; tokenHash: string };
    pcId(cafeId: string, machineId: string): string;
    /** A one-time token, a UUID of version 4 from the system's randomness, and the hash by which the others know it (D-18). */
    newOtt(pcId: string): { ott: string; tokenHash: string };
    /** While an ott of an older version may be about, which makes the token itself: the key that it encrypts it with, and the token. */
    readonly seal: { readonly replyKey: string; open(sealedToken: string): string } | undefined;
  };
  readonly ids: Ids;
  /** What operators watch and no event tells. */
  readonly notes: {
    /** A launcher took the seat of one that was live on the same PC: it was started again, or somebody else poses as the PC. */
    seatTaken(
      seat: Record<'from' | 'by', Pick<LauncherSession, 'cafeId' | 'pcId' | 'keyId' | 'ip'>>,
      how: Pick<SignedCaller, 'isOwnKey'>,
    ): void;
    /** The partner says that the address of a request is no cafe's, or another cafe's than the key that the launcher signed with. */
    addressRefused(
      reason: 'no_cafe' | 'other_cafe',
      launcher: Pick<LauncherSession, 'cafeId' | 'keyId'>,
    ): void;
  };
  readonly request: Request;
  readonly reply: SendReply;
  readonly publish: Publish;
  /** The W3C trace that the running work belongs to, where it is kept. */
  traceparent(): string | null;
}
