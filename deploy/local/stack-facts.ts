import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import type { StackFacts } from '#simulators/stack-file.ts';
import type { writeCatalog } from './write-catalog.ts';
import { freePort } from './free-port.ts';
import { localUrl } from './programs.ts';
import type { PostgresLogins } from './postgres-logins.ts';
import type { Supervised } from './supervisor.ts';

/** The documented ports, or the next free ones; `usual: false` takes any. */
export const choosePorts = async (usual: boolean) => {
  const ports: number[] = [];
  for (const port of [8080, 8081, 8082, 8090, 9190, 9191, 9192, 9193, 9194])
    ports.push(await freePort(usual ? port : 0));
  const [launcher = 0, game = 0, settlement = 0, partner = 0, ...opsPorts] = ports;
  return { launcher, game, settlement, partner, opsPorts };
};

/** Where Postgres is: its owner's address, and that of who closes days. */
export const postgresFacts = (url: string, { closerUrl }: PostgresLogins): StackFacts['postgres'] => ({
  url,
  ...(closerUrl !== undefined && { closer_url: closerUrl }),
});

/** Written to a temporary file and renamed, so that readers never see half of it. */
export const writeFacts = (path: string, facts: StackFacts): void => {
  writeFileSync(`${path}.new`, JSON.stringify(facts, null, 2), { mode: 0o600 });
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
};

type Ports = Pick<Awaited<ReturnType<typeof choosePorts>>, 'launcher' | 'game' | 'settlement' | 'partner'>;
type LocalCatalog = ReturnType<typeof writeCatalog>;
/** Where the stores are, as a caller from outside reaches them. */
export type StoreFacts = Pick<StackFacts, 'kafka' | 'redis' | 'postgres' | 'faults'>;
interface FactsOptions {
  readonly catalog: LocalCatalog;
  readonly ports: Ports;
  readonly partnerToken: string;
  readonly stores: StoreFacts;
  /** Those of the services. */
  readonly settings?: Readonly<Record<string, string>>;
}

const ofProcess = ({ service, name, pid, ops }: Supervised) => ({
  service,
  ...(name !== service && { replica: name }),
  ...{ pid: pid(), ops },
});

/** The content of stack.json, with the current pids. */
export const factsOf = ({ catalog, ports, partnerToken, stores, settings = {} }: FactsOptions) => {
  const { games, cafes, operatorKey } = catalog;
  const { SETTLEMENT_TIME_ZONE: zone } = settings;
  const settlement = { url: localUrl(ports.settlement), operator_key: operatorKey };
  return (services: readonly Supervised[]): StackFacts => ({
    launcher: { url: localUrl(ports.launcher) },
    game: { url: localUrl(ports.game), games },
    settlement: { ...settlement, ...(zone !== undefined && { time_zone: zone }) },
    partner: { url: localUrl(ports.partner), token: partnerToken },
    cafes,
    ...stores,
    processes: services.map(ofProcess),
  });
};
