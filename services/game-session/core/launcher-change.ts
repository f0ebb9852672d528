import type { Session } from './session.ts';
import type { EndReason } from './session-states.ts';

/** What the launcher of a PC did last. */
export interface LauncherChange {
  readonly change: 'started' | 'lapsed' | 'ended';
  /** In ms since the epoch, by the store's clock. */
  readonly atMs: number;
  /** Undefined in marks of older versions and of a rebuild. */
  readonly launcherSessionId: string | undefined;
}

const endReasons = { lapsed: 'launcher_lapsed', ended: 'launcher_ended' } as const;

/**
 * Why a session must end because of its PC's launcher, and since when (spec 3.2, D-07). The change concerns a session that had begun, and
 * one that began later with a token of the launcher session that was over by then (D-36); any other is of a later visitor.
 */
export const endWithLauncherAt = (
  session: Session,
  launcher: LauncherChange | undefined,
): { readonly reason: EndReason; readonly atMs: number } | undefined => {
  if (launcher === undefined || launcher.change === 'started') return undefined;
  const { atMs, change, launcherSessionId } = launcher;
  const concerns = atMs > session.startedAtMs || launcherSessionId === session.launcherSessionId;
  return concerns ? { reason: endReasons[change], atMs } : undefined;
};
