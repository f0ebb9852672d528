import { Refusal } from '#libs/contracts/errors.ts';
import type { Session } from '../../core/session.ts';
import type { Caller } from '../../ports.ts';

/** The session, if it belongs to the caller's game and, where given, to this user. Throws SESSION_NOT_FOUND otherwise (D-05). */
export const visibleSession = (
  session: Session | undefined,
  { gameId }: Caller,
  providerUserId?: string,
): Session => {
  const sameUser = providerUserId === undefined || session?.providerUserId === providerUserId;
  if (session === undefined || session.gameId !== gameId || !sameUser) throw new Refusal('SESSION_NOT_FOUND');
  return session;
};
