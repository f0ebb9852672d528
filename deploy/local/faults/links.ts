import { freePort } from '../free-port.ts';
import type { Named } from './connection-owners.ts';
import { openLink } from './link.ts';
import type { Link } from './link.ts';

/** The links of a stack, by their names. */
export interface Links {
  /** Opens a link to a port, at the wanted port of loopback or at any free one. */
  open(name: string, to: number, wanted?: number): Promise<Link>;
  /** Throws when there is none of this name, with those there are. */
  link(name: string): Link;
  all(): readonly Link[];
  close(): Promise<void>;
}

/** Links between the processes of a stack; `processes` are those that a fault may be limited to. */
export const createLinks = (processes: () => readonly Named[]): Links => {
  const links = new Map<string, Link>();
  return {
    open: async (name, to, wanted = 0) => {
      const opened = await openLink({ name, to, port: await freePort(wanted), processes });
      links.set(name, opened);
      return opened;
    },
    link: (name) => {
      const found = links.get(name);
      if (found) return found;
      throw new Error(`no link is called ${name}; there are ${[...links.keys()].join(', ')}`);
    },
    all: () => [...links.values()],
    close: async () => {
      await Promise.all([...links.values()].map((link) => link.close()));
    },
  };
};
