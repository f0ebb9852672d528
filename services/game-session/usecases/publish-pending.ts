import { plays } from '../core/session.ts';
import type { Ports } from '../ports.ts';

const bite = 20;

/** The log is back: what heartbeats and ends could not say follows, as each session's newest state (D-23). Resolves to how many were said. */
export const publishPending =
  ({ unsaid, sessions, publish }: Pick<Ports, 'unsaid' | 'sessions' | 'publish'>) =>
  async (): Promise<number> => {
    const notes = await unsaid.oldest(bite);
    const say = async (note: (typeof notes)[number]): Promise<void> => {
      const { session } = await sessions.look(note.gameSessionId);
      if (session && plays(session)) await publish('game-session.heartbeat', { session });
      if (session?.state === 'ending') await publish('game-session.ending', { session });
      await unsaid.said(note);
    };
    await Promise.all(notes.map(say));
    return notes.length;
  };
