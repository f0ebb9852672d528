/** A unit, by Grafana's id for it. */
export type Unit = 's' | 'ops' | 'percentunit' | 'short' | 'bytes' | 'dtdurations';

/** One line of a panel. */
export interface Query {
  readonly expr: string;
  /** Its name in the legend, with `{{label}}`. */
  readonly legend: string;
}

/** Where green becomes yellow and red: upwards, or downwards with `below`. */
export interface Limits {
  readonly warn: number;
  readonly alarm: number;
  readonly below?: boolean;
}

/** A panel: what it shows, and what good looks like. */
export interface Panel {
  readonly title: string;
  readonly good: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
  readonly limits?: Limits;
  /** `number`: one value in its colour; `timeline`: lines over time; `stack`: lines upon each other; `heatmap`: a histogram over time. */
  readonly form?: 'number' | 'timeline' | 'stack' | 'heatmap';
}

/** A heading, and the panels below it. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** A board: one question, answered by rows of panels. */
export interface Board {
  readonly uid: `gsb-${string}`;
  readonly title: string;
  /** The text on top: what the board answers, and what good looks like. */
  readonly about: string;
  readonly rows: readonly Row[];
}
