import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { connectionOwners } from './connection-owners.ts';
import type { Named } from './connection-owners.ts';
import { joinConnection, resetSocket } from './link-connection.ts';
import type { LinkConnection, LinkFault } from './link-connection.ts';

const everybody = '*';
const pass: LinkFault = { mode: 'pass' };

/** A TCP port of loopback that leads to another, and what may go wrong between them. */
export interface Link {
  readonly name: string;
  readonly port: number;
  /** From now on for everybody who connects through it, or for one process by its name (where the system has /proc). */
  set(fault: LinkFault, from?: string): void;
  /** Connections that are open become half-open: the server sees that they are gone, the client does not. New ones pass. */
  halfOpen(from?: string): void;
  /** New connections lead to another port; what is connected is reset, as by a host that is no longer there. */
  leadTo(port: number): void;
  /** The faults that are set, by who they are for; `*` is everybody. */
  faults(): ReadonlyMap<string, LinkFault>;
  close(): Promise<void>;
}

interface LinkOptions {
  readonly name: string;
  readonly port: number;
  readonly to: number;
  /** The processes that may be named. */
  readonly processes: () => readonly Named[];
}

interface Joined {
  readonly connection: LinkConnection;
  /** The process that connected: undefined until somebody asks. */
  readonly owner: { name: string | undefined };
}

/** What goes through a link now, each connection with the process that made it, as far as anybody asked. */
const createJoined = (processes: () => readonly Named[]) => {
  const all = new Set<Joined>();
  const identify = () => {
    const unknown = [...all].filter(({ owner }) => owner.name === undefined);
    const owners = connectionOwners(
      unknown.map(({ connection }) => connection.clientPort),
      processes(),
    );
    for (const each of unknown) each.owner.name = owners.get(each.connection.clientPort) ?? '';
  };
  return {
    all,
    of: (from: string): Joined[] => {
      if (from !== everybody) identify();
      return [...all].filter((each) => from === everybody || each.owner.name === from);
    },
    ownerOf: (socket: Socket): string => {
      const port = socket.remotePort ?? 0;
      return connectionOwners([port], processes()).get(port) ?? '';
    },
  };
};

/** The faults of a link, by who they are for. */
const createFaults = () => {
  const faults = new Map<string, LinkFault>();
  return {
    all: faults,
    for: (from: string | undefined): LinkFault => faults.get(from ?? '') ?? faults.get(everybody) ?? pass,
    nameAnyone: () => [...faults.keys()].some((from) => from !== everybody),
    set: (fault: LinkFault, from: string): void => {
      if (fault.mode !== 'pass') faults.set(from, fault);
      else if (from === everybody) faults.clear();
      else faults.delete(from);
    },
  };
};

/** Opens a link. Rejects when its port is taken. */
export const openLink = async ({ name, port, to, processes }: LinkOptions): Promise<Link> => {
  const faults = createFaults();
  const joined = createJoined(processes);
  let target = to;
  const accept = (client: Socket) => {
    const from = faults.nameAnyone() ? joined.ownerOf(client) : undefined;
    client.on('error', () => undefined);
    if (faults.for(from).mode === 'cut') {
      resetSocket(client);
      return;
    }
    const owner = { name: from };
    const [fault, closed] = [() => faults.for(owner.name), () => void joined.all.delete(entry)];
    const entry: Joined = {
      owner,
      connection: joinConnection({ client, serverPort: target, fault, closed }),
    };
    joined.all.add(entry);
  };
  const server = createServer({ allowHalfOpen: true }, accept).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const resetAll = () => [...joined.all].forEach(({ connection }) => connection.reset());
  return {
    ...{ name, port, faults: () => faults.all },
    set: (fault, from = everybody) => {
      faults.set(fault, from);
      joined.of(from);
      for (const { connection } of [...joined.all]) connection.changed();
    },
    halfOpen: (from = everybody) => joined.of(from).forEach(({ connection }) => connection.halfOpen()),
    leadTo: (other) => {
      target = other;
      resetAll();
    },
    close: async () => {
      server.close();
      resetAll();
    },
  };
};
