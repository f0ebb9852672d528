import type { Limits } from '#libs/kernel/limits.ts';
import type { RecordRead } from '#libs/records/record-types.ts';
import { isLive, takeSeat } from '../core/launcher-session.ts';
import type { LauncherSession } from '../core/launcher-session.ts';
import type { Ports } from '../ports.ts';
import { sessionIdsOf, tokenHashOf } from './session-ids.ts';

/** Where sessions are found. */
export interface SessionOptions {
  readonly sessions: Pick<Ports['sessions'], 'read' | 'update'>;
  readonly limits: Limits;
  /** Whether ids are packed, as records are (D-57). */
  readonly packs: boolean;
}

interface Found {
  readonly session: LauncherSession;
  readonly read: RecordRead<LauncherSession>;
}

/** The live session of a bearer token, whichever id it began with; where ids are not packed it gets the one that versions before look for. */
export const sessionOfToken = ({ sessions, limits, packs }: SessionOptions) => {
  const live = async (id: string): Promise<Found | undefined> => {
    const read = await sessions.read(id);
    return isLive(read.record, read) ? { session: read.record, read } : undefined;
  };
  const withId = async (session: LauncherSession, id: string): Promise<Found | undefined> => {
    const fresh = { ...session, id, tokenHash: tokenHashOf(id), version: 1 };
    await sessions.update(
      id,
      ({ record, seated, nowMs }) =>
        record ?? (seated?.id === session.id ? takeSeat(fresh, seated, nowMs, limits) : undefined),
      session.pcId,
    );
    return live(id);
  };
  return async (token: string): Promise<Found | undefined> => {
    const ids = sessionIdsOf(token);
    if (ids === undefined) return undefined;
    if (packs) return (await live(ids.packed)) ?? live(ids.full);
    const before = await live(ids.full);
    const packed = before ? undefined : await live(ids.packed);
    return packed ? withId(packed.session, ids.full) : before;
  };
};
