import { join } from 'node:path';
import type { StackFacts } from '#simulators/stack-file.ts';
import { execute } from './cache.ts';
import { compileServices } from './compile-services.ts';
import type { PostgresLogins } from './postgres-logins.ts';
import { localUrl, programs } from './programs.ts';
import type { Addresses, Replica } from './programs.ts';
import { step } from './progress.ts';
import type { Print } from './progress.ts';
import { createRun } from './run.ts';
import type { Run } from './run.ts';
import type { NamedStores } from './settings.ts';
import { writeFacts } from './stack-facts.ts';
import { supervise } from './supervisor.ts';
import type { Program, Supervised } from './supervisor.ts';

const migrateDeadlineMs = 30_000;

/** What a stack is started with. `ports`: the documented ones, or any free ones, so that stacks can run side by side. */
export interface StackOptions {
  readonly dir: string;
  readonly print: Print;
  readonly ports: 'usual' | 'free';
  /** Limits and other settings of the services. */
  readonly settings: Readonly<Record<string, string>>;
  readonly run?: Run;
  /** Stores that run already; by default the stack starts its own. */
  readonly named?: NamedStores;
}

/** What every step of a start needs. */
export interface Starting {
  readonly root: string;
  readonly run: Run;
  readonly print: Print;
  /** Settles when the services are compiled, or are known not to be. */
  readonly compiled: Promise<void>;
}

/** Begins a start. The many stacks of the tests are compiled by the first of them, as it runs. */
export const begin = (
  root: string,
  { dir, print, ports, run = createRun(dir) }: Pick<StackOptions, 'dir' | 'print' | 'ports' | 'run'>,
): Starting => ({
  ...{ root, run, print },
  compiled: ports === 'usual' ? compileServices(root) : Promise.resolve(),
});

/** Runs a step of the start. Throws when the run was stopped meanwhile. */
export const startStep = async <T>(
  { run, print }: Starting,
  what: string,
  work: () => Promise<T>,
): Promise<T> => {
  const result = await step(print, what, work);
  if (run.stopping()) throw new Error('stopped');
  return result;
};

/** Brings the ledger's schema and the rights of its roles up to date. */
export const migrate = ({ root }: Starting, url: string, { migration }: PostgresLogins): Promise<unknown> => {
  const env = { ...process.env, ...migration, DATABASE_URL: url };
  return execute(process.execPath, [join(root, 'services/settlement/migrate.ts')], {
    env,
    timeout: migrateDeadlineMs,
  });
};

interface PartnerOptions {
  readonly port: number;
  readonly token: string;
  readonly cafes: unknown;
  /** Those of the stack: the days of its statements are those of settlement. */
  readonly settings?: StackOptions['settings'];
}

/**
 * Room for three runs of the whole bench, at 530 bytes a billing, where a pod's 256 MB hold those of one. All of them in one answer of
 * /control/ledger are no string of V8's any more from about 1.7 million on.
 */
const partnerFlags = ['--max-old-space-size=2048'];

/** The simulated partner. Its ledger is in memory, and forgets nothing: after a restart it is empty. */
export const startPartner = async (
  { root, run, print }: Starting,
  { port, token, cafes, settings = {} }: PartnerOptions,
): Promise<void> => {
  const { SETTLEMENT_TIME_ZONE: zone } = settings;
  const env = {
    HTTP_PORT: String(port),
    BIND_HOST: '127.0.0.1',
    PARTNER_TOKEN: token,
    PARTNER_CAFES: JSON.stringify(cafes),
    ...(zone !== undefined && { SETTLEMENT_TIME_ZONE: zone }),
  };
  const entry = join(root, 'deploy/simulators/partner/main.ts');
  const readyUrl = `${localUrl(port)}/health/ready`;
  const program = { service: 'partner', entry, env, readyUrl, flags: partnerFlags };
  await supervise(program, { run, print, changed: () => undefined }).ready();
};

/** Starts the services, and keeps stack.json up to date from the moment that all are ready. */
export const startServices = async (
  starting: Starting,
  at: Addresses,
  facts: (services: readonly Supervised[]) => StackFacts,
) => {
  const { root, run, print, compiled } = starting;
  const path = join(run.dir, 'stack.json');
  let isUp = false;
  const write = () => {
    if (isUp && !run.stopping()) writeFacts(path, facts(services));
  };
  const services: Supervised[] = [];
  const start = (program: Program): Supervised => {
    const service = supervise(program, { run, print, changed: write });
    services.push(service);
    return service;
  };
  await compiled;
  for (const program of programs(root, at)) start(program);
  const each = at.replicas.some(({ replica }) => replica !== undefined) ? ', two replicas each' : '';
  await startStep(starting, `starting the five services${each}`, () =>
    Promise.all(services.map((service) => service.ready())),
  );
  isUp = true;
  write();
  /** Starts one more replica, which takes its part of the topics, and no requests. */
  const add = async (replica: Replica): Promise<Supervised> => {
    const [program] = programs(root, { ...at, replicas: [replica] });
    if (program === undefined) throw new Error('there is no such service');
    const added = start(program);
    await added.ready();
    return added;
  };
  return { path, services, add };
};

/** A service by its name, or a replica by its. */
export const byName =
  (services: readonly Supervised[]) =>
  (wanted: string): Supervised => {
    const found = services.find(({ name }) => name === wanted);
    if (found === undefined) throw new Error(`no service is called ${wanted}`);
    return found;
  };
