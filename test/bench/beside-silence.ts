import { setTimeout as pause } from 'node:timers/promises';
import type { PhaseReport } from './report.ts';
import type { Silence } from './silence.ts';

/** What is measured while others fall silent at once. */
export interface BesideSilence {
  /** Lets them be due, but not before all is `ready`. */
  fallSilent(ready: () => Promise<void>): Promise<Silence>;
  /** Everybody sits who is measured, and who is not has gone home: that takes longer than there is time later. */
  ready(): Promise<void>;
  measure(): Promise<PhaseReport>;
  /** How long before they are due it has to begin, in ms. */
  readonly leadMs: number;
}

/** Measures beside so many others who fall silent at once. Throws where that began when they had. */
export const measureBesideSilence = async (
  sessions: number,
  { fallSilent, ready, measure, leadMs }: BesideSilence,
): Promise<PhaseReport> => {
  const { dueAtMs, swept } = await fallSilent(ready);
  await pause(dueAtMs - Date.now() - leadMs);
  const [report, sweptSec] = await Promise.all([measure(), swept()]);
  const lateMs = (report.openedAtMs ?? Infinity) - dueAtMs;
  if (lateMs > 0)
    throw new Error(
      `it was measured from ${(lateMs / 1000).toFixed(1)} s after the others had fallen silent`,
    );
  return { ...report, silence: { sessions, sweptSec } };
};
