import { Refusal } from '#libs/contracts/errors.ts';
import type { Session } from '../../core/session.ts';
import type { Caller, Ports } from '../../ports.ts';

/** The session, if it belongs to the caller's game and, where given, to this user. Throws SESSION_NOT_FOUND otherwise (D-05). */
export const visibleSession = (
  { notes }: Pick<Ports, 'notes'>,
  session: Session | undefined,
  caller: Caller,
  providerUserId?: string,
): Session => {
  const sameUser = providerUserId === undefined || session?.providerUserId === providerUserId;
  const sameGame = session?.gameId === caller.gameId;
  if (session !== undefined && !sameGame) notes.foreignSession(caller);
  if (session === undefined || !sameGame || !sameUser) throw new Refusal('SESSION_NOT_FOUND');
  return session;
};
