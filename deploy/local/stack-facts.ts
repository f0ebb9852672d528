import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import type { StackFacts } from '#simulators/stack-file.ts';
import type { writeCatalog } from './write-catalog.ts';
import { freePort } from './processes.ts';
import { opsUrl } from './programs.ts';
import type { Supervised } from './supervisor.ts';

/** The documented ports, or the next free ones; `usual: false` takes any. */
export const choosePorts = async (usual: boolean) => {
  const ports: number[] = [];
  for (const port of [8080, 8081, 8082, 8090, 9190, 9191, 9192, 9193, 9194])
    ports.push(await freePort(usual ? port : 0));
  const [launcher = 0, game = 0, settlement = 0, partner = 0, ...opsPorts] = ports;
  return { launcher, game, settlement, partner, opsPorts };
};

/** Written to a temporary file and renamed, so that readers never see half of it. */
export const writeFacts = (path: string, facts: StackFacts): void => {
  writeFileSync(`${path}.new`, JSON.stringify(facts, null, 2), { mode: 0o600 });
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
};

type Ports = Awaited<ReturnType<typeof choosePorts>> & { readonly partnerToken?: string };
type LocalCatalog = ReturnType<typeof writeCatalog>;
interface Stores {
  readonly kafka: { readonly brokers: string[] };
  readonly redis: { readonly url: string };
  readonly postgres: { readonly url: string };
}

/** The content of stack.json, with the current pids. */
export const factsOf =
  ({ games, cafes }: LocalCatalog, ports: Ports, { kafka, redis, postgres }: Stores) =>
  (services: readonly Supervised[]): StackFacts => ({
    launcher: { url: opsUrl(ports.launcher) },
    game: { url: opsUrl(ports.game), games },
    settlement: { url: opsUrl(ports.settlement) },
    partner: {
      url: opsUrl(ports.partner),
      ...(ports.partnerToken !== undefined && { token: ports.partnerToken }),
    },
    cafes,
    kafka: { brokers: kafka.brokers },
    redis: { url: redis.url },
    postgres: { url: postgres.url },
    processes: services.map((each, index) => ({
      service: each.service,
      pid: each.pid(),
      ops: opsUrl(ports.opsPorts[index] ?? 0),
    })),
  });
