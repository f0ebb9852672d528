import { join } from 'node:path';
import { Client } from 'pg';
import type { Link } from '../faults/link.ts';
import type { Links } from '../faults/links.ts';
import { homeFor, makeCluster, postgresHost, startServer } from '../postgres.ts';
import type { PostgresHost, ServerPlace } from '../postgres.ts';
import { createPostgresLogins } from '../postgres-logins.ts';
import type { PostgresLogins } from '../postgres-logins.ts';
import { freePort } from '../free-port.ts';
import type { Print } from '../progress.ts';
import type { Run } from '../run.ts';
import type { Store } from '../store-process.ts';
import { copyAsStandby } from './standby-copy.ts';

/** Enough of the log to begin a standby without an archive; a partner that is silent for 5 s counts as gone. */
const settings = ['wal_keep_size=64MB', 'wal_sender_timeout=5s', 'wal_receiver_timeout=5s'];
const promoteWithinSec = 30;

/** A primary, and a standby that receives its log as a stream, asynchronously. */
export interface PostgresPair {
  /** Where the services go: the link `postgres`, which leads to the primary. */
  readonly url: string;
  /** How each part signs in, through the link. */
  readonly logins: PostgresLogins;
  /** The primary itself, past the link. */
  directUrl(): string;
  /** Both servers, `postgres-1` and `postgres-2`. */
  readonly nodes: ReadonlyMap<string, Store>;
  /** The name of the primary. */
  primary(): string;
  /** Kills the primary and promotes the standby; the link leads there. What the standby had not received is lost. */
  promote(): Promise<void>;
  /** The former primary begins again as a standby, with a copy of the new one's data. */
  rejoin(): Promise<void>;
}

interface Node {
  readonly place: ServerPlace;
  /** The link that the other one's stream goes through. */
  readonly stream: Link;
  readonly store: Store;
}

/** Runs one statement. */
const query = async (url: string, text: string): Promise<void> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(text).finally(() => client.end());
};

const placeOf = async (name: string, home: string, password: string): Promise<ServerPlace> => {
  const [host, port] = ['127.0.0.1', await freePort(0)];
  return { name, home, host, port, settings, url: `postgres://gsb:${password}@${host}:${port}/postgres` };
};

const startPrimary = async (host: PostgresHost, links: Links): Promise<Node & { password: string }> => {
  const { home, password } = await makeCluster(host);
  const place = await placeOf('postgres-1', home, password);
  const store = await startServer(host, place);
  return { place, password, store, stream: await links.open(place.name, place.port) };
};

const copyTo = ({ user }: PostgresHost, from: Node, to: ServerPlace): Promise<void> =>
  copyAsStandby({
    primaryUrl: from.place.url,
    from: join(from.place.home, 'data'),
    to: join(to.home, 'data'),
    streamPort: from.stream.port,
    user,
    name: to.name,
  });

const startStandby = async (
  host: PostgresHost,
  links: Links,
  primary: Node & { readonly password: string },
): Promise<Node> => {
  const home = homeFor(host.run.dir, host.user, 'postgres-2');
  host.run.ownFolder(home);
  const place = await placeOf('postgres-2', home, primary.password);
  await copyTo(host, primary, place);
  const store = await startServer(host, place);
  return { place, store, stream: await links.open(place.name, place.port) };
};

/** Starts both, and the link that leads to the primary. */
export const startPostgresPair = async (run: Run, links: Links, print: Print): Promise<PostgresPair> => {
  const host = await postgresHost(run, print);
  const first = await startPrimary(host, links);
  let [primary, standby]: [Node, Node] = [first, await startStandby(host, links, first)];
  const link = await links.open('postgres', first.place.port);
  const url = `postgres://gsb:${first.password}@127.0.0.1:${link.port}/postgres`;
  return {
    ...{ url, logins: await createPostgresLogins(url) },
    directUrl: () => primary.place.url,
    nodes: new Map([primary, standby].map(({ place, store }) => [place.name, store])),
    primary: () => primary.place.name,
    promote: async () => {
      await primary.store.kill();
      await query(standby.place.url, `select pg_promote(true, ${promoteWithinSec})`);
      [primary, standby] = [standby, primary];
      link.leadTo(primary.place.port);
    },
    rejoin: async () => {
      await standby.store.kill();
      await copyTo(host, primary, standby.place);
      await standby.store.restart();
    },
  };
};
