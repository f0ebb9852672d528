import type { Board } from '../boards/types.ts';

/** How long values last, in promtool's notation: `0x5 0+2x30` is five minutes of 0, then thirty in which it grows by 2. */
export type Series = Readonly<Record<string, string>>;

/** What one is to do who has been woken. */
export interface Runbook {
  readonly meaning: string;
  readonly impact: string;
  /** Sentences; those in backquotes alone are commands, which run as they stand. */
  readonly diagnosis: readonly string[];
  readonly mitigation: readonly string[];
}

/** Series at which an alert fires, and at which it does not. */
export interface Proof {
  readonly firing: Series;
  readonly resting: Series;
  /** Minutes after the begin of the series. */
  readonly afterMin: number;
}

/** An alert, with its runbook and with series at which it fires and at which it does not. */
export interface Alert {
  readonly name: `Gsb${string}`;
  /** `page` wakes somebody; `ticket` waits for the morning. */
  readonly severity: 'page' | 'ticket';
  readonly owner: 'play' | 'billing' | 'platform' | 'security';
  readonly expr: string;
  readonly for?: string;
  /** One sentence for somebody who is tired. */
  readonly summary: string;
  readonly board: Board['uid'];
  readonly runbook: Runbook;
  readonly proof: Proof;
  /** Of an alert that judges in several ways: proofs of the others, by what they are about. */
  readonly otherProofs?: Readonly<Record<string, Proof>>;
}
