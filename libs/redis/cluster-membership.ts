import type { Redis } from 'ioredis';
import { createClusterConnections } from './cluster-connections.ts';
import type { ClusterConnections, ConnectionsOptions } from './cluster-connections.ts';
import { addressText, readSlots } from './cluster-slots.ts';
import type { Address, SlotTable } from './cluster-slots.ts';

/** Which cluster is joined, and who hears of it. */
export interface MembershipOptions extends Omit<ConnectionsOptions, 'onLost'> {
  /** Servers of the cluster that are asked for the others. */
  readonly seeds: readonly Address[];
  /** Called once each time after it had joined: a primary is away, or others are primaries. */
  readonly onLost: () => void;
}

const namesOf = ({ primaries }: SlotTable): string => primaries.map(addressText).sort().join();

/** Asks one server after the other, beginning with another one each time: who is cut off from the cluster knows only how it was. */
const createSlotReader = (seeds: readonly Address[], connections: ClusterConnections) => {
  let known = seeds;
  let turn = 0;
  return async (): Promise<SlotTable> => {
    turn += 1;
    let failure: unknown;
    for (const server of [...known.slice(turn % known.length), ...known.slice(0, turn % known.length)]) {
      try {
        const table = await readSlots(await connections.connect(server), server);
        const all = [...table.primaries, ...seeds];
        known = [...new Map(all.map((each) => [addressText(each), each])).values()];
        connections.keepOnly(table.primaries);
        return table;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
};

/** A client's connections to all primaries of a cluster. */
export interface ClusterMembership {
  /** Resolves when every primary is connected. */
  join(): Promise<void>;
  /** The connection for a slot; for null, of a command without a key, any. */
  connectionFor(slot: number | null): Redis | undefined;
  primaries(): readonly Redis[];
  /** Reads again where the slots are. */
  refresh(): void;
  /** The servers of all primaries; before it has joined those that are asked for them. */
  servers(): readonly Address[];
  leave(): void;
}

/** Where the slots are, while every primary is connected. */
const createTable = (connections: ClusterConnections, onLost: () => void) => {
  let table: SlotTable | undefined;
  return {
    now: () => table,
    /** Throws where a primary has left meanwhile. */
    become: (found: SlotTable): void => {
      if (!found.primaries.every(connections.of)) throw new Error('a server of the Redis Cluster has left');
      table = found;
    },
    forget: () => (table = undefined),
    lose: (): void => {
      if (table === undefined) return;
      table = undefined;
      onLost();
    },
  };
};

/** Reads again where the slots are, one reading at a time; other primaries than before are a loss. */
const createRefresh = (table: ReturnType<typeof createTable>, read: () => Promise<SlotTable>) => {
  let refreshing = false;
  const reread = async (before: SlotTable): Promise<void> => {
    const found = await read().catch(() => undefined);
    if (table.now() !== before) return;
    if (found && namesOf(found) === namesOf(before)) table.become(found);
    else table.lose();
  };
  return (): void => {
    const before = table.now();
    if (before === undefined || refreshing) return;
    refreshing = true;
    void reread(before)
      .catch(table.lose)
      .finally(() => (refreshing = false));
  };
};

/** Joins a cluster as its client; nothing is opened yet. */
export const createClusterMembership = ({
  seeds,
  onLost,
  ...options
}: MembershipOptions): ClusterMembership => {
  const isPrimary = (server: Address) =>
    table.now()?.primaries.some((each) => addressText(each) === addressText(server)) === true;
  const connections = createClusterConnections({
    ...options,
    onLost: (server) => {
      if (isPrimary(server)) table.lose();
    },
  });
  const table = createTable(connections, onLost);
  const read = createSlotReader(seeds, connections);
  return {
    join: async () => {
      const found = await read();
      await Promise.all(found.primaries.map(connections.connect));
      table.become(found);
    },
    connectionFor: (slot) => {
      const server = slot === null ? table.now()?.primaries[0] : table.now()?.primaryOf(slot);
      return server && connections.of(server);
    },
    primaries: () => table.now()?.primaries.flatMap((each) => connections.of(each) ?? []) ?? [],
    refresh: createRefresh(table, read),
    servers: () => table.now()?.primaries ?? seeds,
    leave: () => {
      table.forget();
      connections.keepOnly([]);
    },
  };
};
