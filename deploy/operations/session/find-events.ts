import { gameSessionId, sha256 } from '#libs/contracts/fields.ts';
import type { ToldEvent, Search } from './read-log.ts';

/** What somebody asks for: a game session, the hash of a token, or a player. */
export interface Asked {
  readonly kind: 'session' | 'token' | 'player';
  readonly id: string;
}

const patterns = {
  sessions: /"gs_[0-9a-f-]{36}"/g,
  tokens: /"[0-9a-f]{64}"/g,
  launchers: /"launcherSessionId":"([0-9a-f-]{36})"/g,
  pcs: /"pc_[0-9a-f]{32}"/g,
} as const;

const matches = (texts: readonly string[], pattern: RegExp): Set<string> =>
  new Set(
    texts.flatMap((text) => [...text.matchAll(pattern)].map(([all, inner]) => inner ?? all.slice(1, -1))),
  );

/** The events that name an id. */
export const naming = (id: string, events: readonly ToldEvent[]): ToldEvent[] =>
  events.filter(({ text }) => text.includes(id));

/** The ids that events name. */
export const idsIn = (events: readonly ToldEvent[]) => {
  const texts = events.map(({ text }) => text);
  return {
    sessions: matches(texts, patterns.sessions),
    tokens: matches(texts, patterns.tokens),
    launchers: matches(texts, patterns.launchers),
    pcs: matches(texts, patterns.pcs),
  };
};

/** What to look for first. */
export const firstSearch = ({ kind, id }: Asked): Search => {
  const none = new Set<string>();
  if (kind === 'session')
    return { ids: new Set([id]), keys: { game_session_id: new Set([id]), token_hash: none, pc_id: none } };
  if (kind === 'token')
    return { ids: new Set([id]), keys: { game_session_id: none, token_hash: new Set([id]), pc_id: none } };
  return { ids: new Set([JSON.stringify(id)]), keys: { pc_id: none } };
};

/** What to look for once it is known what the first events name: the same session and its token, what its launcher did, and what was asked on its PC. */
export const nextSearch = (session: string, events: readonly ToldEvent[]): Search => {
  const { tokens, launchers, pcs } = idsIn(naming(session, events));
  return {
    ids: new Set([session, ...tokens, ...launchers]),
    keys: { game_session_id: new Set([session]), token_hash: tokens, pc_id: pcs },
  };
};

/**
 * Of what was found, what tells of the session: the events that name it or its token, and what its launcher did. A launcher asks for tokens of other
 * games too, and other sessions begin with it.
 */
export const storyOf = (session: string, found: readonly ToldEvent[]): ToldEvent[] => {
  const { tokens } = idsIn(naming(session, found));
  const ids = [session, ...tokens];
  return found.filter(
    ({ text, event }) => event.name.startsWith('launcher-session.') || ids.some((id) => text.includes(id)),
  );
};

/** Reads what a command was given: `gs_…`, 64 hexadecimal digits, or a player. Undefined for anything else. */
export const askedBy = (given: string | undefined, player: string | undefined): Asked | undefined => {
  if (player !== undefined)
    return given === undefined && player !== '' ? { kind: 'player', id: player } : undefined;
  if (given === undefined) return undefined;
  if (gameSessionId.safeParse(given).success) return { kind: 'session', id: given };
  return sha256.safeParse(given).success ? { kind: 'token', id: given } : undefined;
};
