import type { Publish } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { RecordStore } from '#libs/records/record-types.ts';
import type { Ott } from './core/ott.ts';

/** A token that ott made for a gateway of an older version; `sealedToken` as in `ott.issued`. */
export interface SealedOtt {
  readonly tokenHash: string;
  readonly sealedToken: string;
}

type OnOtts = (otts: readonly Ott[]) => Promise<void>;

/** What was written to the log lately, by partition; each token's newest state, in batches. */
export interface RecentLog {
  /** The partitions by their number: a token's events are in those of one number, unless a topic has fewer than its launcher session's id tells (D-63). */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  otts(parts: readonly string[], onOtts: OnOtts): Promise<void>;
  /** Where the partitions ended, by name. */
  readonly ends: ReadonlyMap<string, number>;
}

/** What the use cases of this service need from outside. */
export interface Ports {
  readonly limits: Limits & { readonly unbilledCapSec: number };
  readonly otts: Pick<RecordStore<Ott>, 'read' | 'update'> & {
    /** What was made for the request at its first delivery. */
    sealedOnce(ottRequestId: string, made: SealedOtt): Promise<SealedOtt>;
    /** The token after billing of the session has started, where its first presentation holds it. Undefined, and nothing is written: `update` decides. */
    consume(order: EventData<'billing.started'>['order']): Promise<Ott | undefined>;
    /** Writes what the log knows where nothing newer is stored, and a consumed token in any case. */
    restore(known: readonly Ott[]): Promise<void>;
  };
  /** Reads the log; rejects when it cannot be read, or with what was thrown meanwhile. */
  readonly recentLog: {
    open<T>(signal: AbortSignal, use: (log: RecentLog) => Promise<T>): Promise<T>;
    /** The tokens that were written behind these ends; resolves to the ends now. */
    behind(ends: RecentLog['ends'], signal: AbortSignal, onOtts: OnOtts): Promise<RecentLog['ends']>;
  };
  /** Play that the partner has not confirmed, by cafe (D-26). */
  readonly unbilled: {
    begin(cafeId: string, gameSessionId: string, startedAtMs: number): Promise<void>;
    /** The session is over, after so many seconds of play. */
    hold(cafeId: string, gameSessionId: string, playedSec: number): Promise<void>;
    end(cafeId: string, gameSessionId: string): Promise<void>;
    /** Its seconds until now, all sessions of the cafe together. */
    seconds(cafeId: string, nowMs: number): Promise<number>;
  };
  /** Tokens that were accepted within the last minutes, as this process knows them (D-24). */
  readonly accepted: {
    /** The version at which it was accepted, or 0. Throws UNAVAILABLE while that is not known. */
    versionOf(tokenHash: string): Promise<number>;
    remember(ott: Ott): void;
  };
  /** Presentations, by the id of their event, that were refused while another one held their token, or repeated that one: as long as a token may be presented (D-03). */
  readonly answered: {
    has(tokenHash: string, eventId: string): Promise<boolean>;
    remember(tokenHash: string, eventId: string): Promise<void>;
  };
  readonly tokens: {
    hash(text: string): string;
    /** A token for a gateway of an older version, which does not make it: its hash, and the token, readable only with the private key that belongs to `replyKey`. */
    makeSealed(replyKey: string, pcId: string): SealedOtt;
  };
  readonly publish: Publish;
  /** The W3C trace that the running work belongs to, where it is kept. */
  traceparent(): string | null;
}
