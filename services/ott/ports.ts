import type { Publish } from '#libs/contracts/delivery.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { Ott } from './core/ott.ts';

/** The newest token of a PC for a game, and how its launcher reads it. */
export interface Latest {
  readonly tokenHash: string;
  readonly ottRequestId: string;
  readonly sealedToken: string;
}

/** What the use cases of this service need from outside. */
export interface Ports {
  readonly limits: Limits & { readonly unbilledCapSec: number };
  readonly otts: {
    look(tokenHash: string): Promise<{ nowMs: number; ott: Ott | undefined }>;
    /** False: somebody else changed the token first. `after` undefined: the token is forgotten. */
    commit(tokenHash: string, before: Ott | undefined, after: Ott | undefined): Promise<boolean>;
    latest(pcId: string, gameId: string): Promise<Latest | undefined>;
    setLatest(pcId: string, gameId: string, latest: Latest): Promise<void>;
    /** Puts back what the log knows, where nothing newer is here. */
    restore(known: readonly Ott[]): Promise<void>;
  };
  /** What the recent log knows; rejects when it cannot be read. */
  readonly past: {
    /** The newest state of every token; the sealed token where that is the newest that was said. */
    otts(signal?: AbortSignal): Promise<{ ott: Ott; sealedToken: string | undefined }[]>;
  };
  /** Play of each cafe that the partner has not confirmed (D-26). */
  readonly unbilled: {
    begin(cafeId: string, gameSessionId: string, startedAtMs: number): Promise<void>;
    end(cafeId: string, gameSessionId: string): Promise<void>;
    /** Seconds of such play until now, of all its sessions together. */
    seconds(cafeId: string, nowMs: number): Promise<number>;
  };
  /** Tokens that were accepted a moment ago. */
  readonly accepted: {
    /** The version at which it was accepted, or 0. Throws UNAVAILABLE while that is not known. */
    versionOf(tokenHash: string): Promise<number>;
    note(ott: Ott): void;
  };
  readonly tokens: {
    /** A UUID of version 4 from the system's randomness. */
    fresh(): string;
    hash(token: string): string;
    /** The token, readable only with the private key that belongs to `replyKey` (D-18). */
    seal(token: string, replyKey: string): string;
  };
  readonly publish: Publish;
}
