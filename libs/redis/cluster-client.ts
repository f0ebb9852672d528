import type { Command, Redis, RedisOptions } from 'ioredis';
import { sleep } from '#libs/runtime/wait.ts';
import { plainClient } from './cluster-connections.ts';
import { createClusterMembership } from './cluster-membership.ts';
import type { ClusterMembership, MembershipOptions } from './cluster-membership.ts';
import { addressText } from './cluster-slots.ts';

/** What a client of a cluster is made of. */
export interface ClusterOptions extends Pick<MembershipOptions, 'seeds' | 'options' | 'prepare'> {
  /** How long to wait before the attempt of this number to join again, in ms. */
  readonly pauseMs: (attempt: number) => number;
}

/** The server that was asked has the slot no more, is a replica now, or has lost the others. */
const isElsewhere = (error: unknown): boolean =>
  error instanceof Error && /^(MOVED|READONLY|CLUSTERDOWN)/.test(error.message);

/** INFO of all primaries, one after the other: the run ids in it name the cluster as it is now. */
const informOfAll = (command: Command, connections: readonly Redis[]): void => {
  const sections = command.args.map(String);
  Promise.all(connections.map((each) => each.info(...sections))).then(
    (texts) => command.resolve(texts.join('\n')),
    command.reject,
  );
};

const send = (membership: ClusterMembership, command: Command): Promise<unknown> => {
  const connection = membership.connectionFor(command.getSlot());
  if (connection === undefined) command.reject(new Error('the Redis Cluster is not joined'));
  else if (command.name === 'info') informOfAll(command, membership.primaries());
  else {
    command.promise.catch((error: unknown) => {
      if (isElsewhere(error)) membership.refresh();
    });
    void connection.sendCommand(command);
  }
  return command.promise;
};

/**
 * A connection of its own to one of the primaries, to another one each time it is made again: what is published reaches all of them. It leaves
 * a server that is none any more, which may be one that hears nothing of the others.
 */
const anyPrimary = (
  front: Redis,
  { servers }: ClusterMembership,
  { options, pauseMs }: ClusterOptions,
  override: Partial<RedisOptions> = {},
): Redis => {
  let turn = 0;
  const next = () => servers()[(turn += 1) % servers().length];
  const retryStrategy = (attempt: number): number => {
    Object.assign(connection.options, next());
    return pauseMs(attempt);
  };
  const connection = plainClient({ ...options, ...override, ...next(), retryStrategy });
  front.on('ready', () => {
    const { host = '', port = 0 } = connection.options;
    const isPrimary = servers().some((each) => addressText(each) === addressText({ host, port }));
    if (connection.status === 'ready' && !isPrimary) connection.disconnect(true);
  });
  return connection;
};

/** Tells a client's users when it is joined and when not, and joins again for as long as it has not left. */
const keepJoined = (front: Redis, { pauseMs, ...cluster }: ClusterOptions) => {
  const left = new AbortController();
  const become = (status: Redis['status'], event: 'ready' | 'close'): void => {
    front.status = status;
    front.emit(event);
  };
  const onError = (error: unknown) => void front.emit('error', error);
  const onLost = (): void => {
    become('reconnecting', 'close');
    void rejoin();
  };
  const membership = createClusterMembership({ ...cluster, onError, onLost });
  const join = async (): Promise<void> => {
    await membership.join();
    if (left.signal.aborted) membership.leave();
    else become('ready', 'ready');
  };
  const hasJoined = (): Promise<boolean> =>
    join().then(
      () => true,
      (error: unknown) => {
        onError(error);
        return false;
      },
    );
  const rejoin = async (): Promise<void> => {
    for (let attempt = 1; !left.signal.aborted && !(await hasJoined()); attempt += 1)
      await sleep(pauseMs(attempt), left.signal);
  };
  const leave = (): void => {
    left.abort();
    membership.leave();
    become('end', 'close');
  };
  return { membership, join, leave };
};

/**
 * A Redis Cluster as one client: `ready` while every primary is connected, `close` as soon as one is not or another server has become one.
 * A command goes to the primary that has its key's slot, and nowhere else: where that is not so any more it rejects, and the slots are
 * read again (D-51). Unlike ioredis' own Cluster it never follows a redirection to a server that nobody has asked for its run id yet.
 */
export const clusterClient = (cluster: ClusterOptions): Redis => {
  const front = plainClient(cluster.options);
  const { membership, join, leave } = keepJoined(front, cluster);
  front.connect = async () => {
    front.status = 'connecting';
    await join().catch((error: unknown) => {
      front.status = 'wait';
      throw error;
    });
  };
  front.disconnect = leave;
  front.sendCommand = (command) => send(membership, command);
  front.duplicate = (override) => anyPrimary(front, membership, cluster, override);
  return front;
};
