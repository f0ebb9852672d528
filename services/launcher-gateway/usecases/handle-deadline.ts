import { afterDeadline } from '../core/launcher-session.ts';
import type { Ports } from '../ports.ts';
import { publishOver } from './support/publish-over.ts';

/** A launcher session's deadline has passed: a live one lapses, which game-session receives as an event; a pending event is published again; any other is forgotten. */
export const handleDeadline =
  (ports: Ports) =>
  async (id: string): Promise<void> => {
    const { after } = await ports.sessions.update(
      id,
      (current) => current.record && afterDeadline(current.record, current, ports.limits),
    );
    if (after) await publishOver(ports, after);
  };
