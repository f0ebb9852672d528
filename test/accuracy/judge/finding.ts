import type { World } from './world.ts';

/** How often a promise was looked at, and where it was broken. */
export interface Finding {
  readonly checked: number;
  readonly violations: readonly string[];
}

/** Looks at one promise. */
export type Check = (world: World) => Finding;

const isText = (text: string | undefined | false): text is string => typeof text === 'string';

/** Looks at every item; `wrong` describes what is wrong with one. */
export const each = <T>(items: readonly T[], wrong: (item: T) => string | undefined | false): Finding => ({
  checked: items.length,
  violations: items.map(wrong).filter(isText),
});

/** Several looks as one. */
export const together = (...findings: readonly Finding[]): Finding => ({
  checked: findings.reduce((sum, { checked }) => sum + checked, 0),
  violations: findings.flatMap(({ violations }) => violations),
});
