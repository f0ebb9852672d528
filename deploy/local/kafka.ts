import { cpSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { kafkaFiles, metaProperties, serverProperties } from './kafka-files.ts';
import type { BrokerAddress, BrokerPlace, KafkaFiles } from './kafka-files.ts';
import { freePort } from './free-port.ts';
import { createRun } from './run.ts';
import type { Print } from './progress.ts';
import { runStore } from './store-process.ts';
import type { Store, StoreOptions } from './store-process.ts';

const bootDeadlineMs = 60_000;

/** A broker. */
export type KafkaStore = Store & { readonly brokers: string[] };

/** Ready is a broker whose group coordinator has loaded; its port is open long before that. */
const answers = async (broker: string): Promise<boolean> => {
  const retry = { retries: 3, initialRetryTime: 50 };
  const kafka = new Kafka({
    brokers: [broker],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 500,
    requestTimeout: 1_000,
    retry,
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    await admin.fetchOffsets({ groupId: 'gsb-probe', topics: [] });
    return true;
  } finally {
    await admin.disconnect();
  }
};

/** In MiB: of a broker alone, and of one among several on a machine. */
const heaps = { alone: ['-Xms256m', '-Xmx512m'], among: ['-Xms96m', '-Xmx256m'] } as const;

/**
 * `isShort`: without the second compiler, whose work is only worth its while after two minutes: a broker with it starts as fast, and from then on
 * takes two thirds of the CPU under load.
 */
const javaArgs = (
  { classPath, archive }: KafkaFiles,
  properties: string,
  { heap, isShort }: { heap: keyof typeof heaps; isShort: boolean },
): string[] => {
  const classes = existsSync(archive)
    ? `-XX:SharedArchiveFile=${archive}`
    : `-XX:ArchiveClassesAtExit=${archive}.new`;
  return [
    ...heaps[heap],
    '-XX:+UseSerialGC',
    // Counters for tools that look on from outside are written twenty times a second, whether or not one does.
    '-XX:-UsePerfData',
    ...(isShort ? ['-XX:TieredStopAtLevel=1'] : []),
    ...['-Xlog:disable', '-Xlog:all=off'],
    classes,
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
    '-cp',
    classPath,
    'kafka.Kafka',
    properties,
  ];
};

/** A broker that stopped cleanly leaves a class archive (CDS), with which later ones start in half the time. */
const keepArchive = ({ archive }: KafkaFiles): void => {
  if (!existsSync(archive) && existsSync(`${archive}.new`)) renameSync(`${archive}.new`, archive);
};

const prepare = (files: KafkaFiles, home: string, place: BrokerPlace): string => {
  mkdirSync(home, { recursive: true });
  const properties = join(home, 'server.properties');
  writeFileSync(properties, serverProperties(join(home, 'log'), place));
  cpSync(files.formatted, join(home, 'log'), { recursive: true });
  writeFileSync(join(home, 'log', 'meta.properties'), metaProperties(place));
  return properties;
};

const newAddress = async (host: string, port: number): Promise<BrokerAddress> => ({
  host,
  port: await freePort(port),
  controllerPort: await freePort(port === 0 ? 0 : port + 1),
});

/** Several brokers of one cluster. */
export interface KafkaCluster {
  readonly brokers: string[];
  /** Where its clients go: the same, or the links that lead there. */
  readonly clientBrokers: string[];
  /** Each broker by itself, in the order of `brokers`. */
  readonly nodes: readonly Store[];
  stop(): Promise<void>;
}

const brokerName = (index: number): string => `kafka-${index + 1}`;

/** A broker before its first start: its properties, its empty log folder, and what it is started with. */
export interface PreparedBroker {
  readonly properties: string;
  readonly log: string;
  readonly files: KafkaFiles;
  readonly address: BrokerAddress;
}

/** What else is done before a first start; resolves to what else Java is told. */
export type PrepareBroker = (broker: PreparedBroker) => Promise<readonly string[]>;

interface KafkaOptions extends StoreOptions {
  /** Whether it runs for minutes, as in a test (the default), or stays up. */
  readonly isShort?: boolean;
}

const startBroker = async (
  { dir, print = () => undefined, run = createRun(dir), isShort = true }: KafkaOptions,
  files: KafkaFiles,
  place: BrokerPlace,
  prepareMore: PrepareBroker = async () => [],
): Promise<KafkaStore> => {
  const heap = place.cluster.length === 1 ? 'alone' : 'among';
  const name = heap === 'alone' ? 'kafka' : brokerName(place.index);
  const properties = prepare(files, join(dir, name), place);
  const address = place.cluster[place.index] ?? { host: '', port: 0, controllerPort: 0 };
  const more = await prepareMore({ properties, log: join(dir, name, 'log'), files, address });
  const { host, port } = address;
  const broker = `${host}:${port}`;
  const common = { name, command: files.java, log: run.logOf(name), wave: 'store' } as const;
  const isKilled = heap === 'among';
  const store = await runStore(run, {
    print,
    command: () => ({
      ...common,
      isKilled,
      args: [...more, ...javaArgs(files, properties, { heap, isShort })],
    }),
    ready: () => answers(broker),
    deadlineMs: bootDeadlineMs,
  });
  return Object.assign(store, { brokers: [broker] });
};

const fetchFiles = async (print: Print = () => undefined): Promise<KafkaFiles> => {
  const files = await kafkaFiles(print);
  keepArchive(files);
  return files;
};

/** A real Apache Kafka, from the jars that Maven fetched. */
export const startKafka = async (options: KafkaOptions, prepareMore?: PrepareBroker): Promise<KafkaStore> => {
  const { port = 0, host = '127.0.0.1', print } = options;
  const files = await fetchFiles(print);
  return startBroker(options, files, { cluster: [await newAddress(host, port)], index: 0 }, prepareMore);
};

/** How many brokers, and the port of a link that leads to one, if their clients go through links. */
interface ClusterOptions {
  readonly size?: number;
  readonly linkTo?: (broker: string, port: number) => Promise<number>;
}

const placeOf = async (
  host: string,
  index: number,
  linkTo: ClusterOptions['linkTo'],
): Promise<BrokerAddress> => {
  const direct = await newAddress(host, 0);
  if (linkTo === undefined) return direct;
  const port = await freePort(0);
  return { ...direct, clients: { port, advertisedPort: await linkTo(brokerName(index), port) } };
};

/** A cluster of brokers on loopback; of three each has every message, and a message is acknowledged when two have it. */
export const startKafkaCluster = async (
  options: StoreOptions,
  { size = 3, linkTo }: ClusterOptions = {},
): Promise<KafkaCluster> => {
  const { host = '127.0.0.1', run = createRun(options.dir), print } = options;
  const files = await fetchFiles(print);
  const cluster: BrokerAddress[] = [];
  for (let index = 0; index < size; index += 1) cluster.push(await placeOf(host, index, linkTo));
  const nodes = await Promise.all(
    cluster.map((_, index) => startBroker({ ...options, run }, files, { cluster, index })),
  );
  return {
    nodes,
    brokers: nodes.flatMap(({ brokers }) => brokers),
    clientBrokers: cluster.map(({ port, clients }) => `${host}:${clients?.advertisedPort ?? port}`),
    stop: () => run.stop(),
  };
};
