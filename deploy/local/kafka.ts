import { cpSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { kafkaFiles, serverProperties } from './kafka-files.ts';
import type { BrokerAddress, KafkaFiles } from './kafka-files.ts';
import { freePort } from './processes.ts';
import { createRun } from './run.ts';
import { runStore } from './store-process.ts';
import type { Store, StoreOptions } from './store-process.ts';

const bootDeadlineMs = 60_000;

/** A broker. */
export type KafkaStore = Store & { readonly brokers: string[] };

/** Ready is a broker whose group coordinator has loaded; its port is open long before that. */
const answers = async (broker: string): Promise<boolean> => {
  const retry = { retries: 3, initialRetryTime: 50 };
  const kafka = new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING, connectionTimeout: 500, retry });
  const admin = kafka.admin();
  try {
    await admin.connect();
    await admin.fetchOffsets({ groupId: 'gsb-probe', topics: [] });
    return true;
  } finally {
    await admin.disconnect();
  }
};

const javaArgs = ({ classPath, archive }: KafkaFiles, properties: string): string[] => {
  const classes = existsSync(archive)
    ? `-XX:SharedArchiveFile=${archive}`
    : `-XX:ArchiveClassesAtExit=${archive}.new`;
  const size = [
    '-Xms256m',
    '-Xmx512m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-Xlog:disable',
    '-Xlog:all=off',
  ];
  return [
    ...size,
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

const prepare = (files: KafkaFiles, home: string, address: BrokerAddress): string => {
  mkdirSync(home, { recursive: true });
  const properties = join(home, 'server.properties');
  writeFileSync(properties, serverProperties(join(home, 'log'), address));
  cpSync(files.formatted, join(home, 'log'), { recursive: true });
  return properties;
};

/** A real Apache Kafka, from the jars that Maven fetched. */
export const startKafka = async (options: StoreOptions): Promise<KafkaStore> => {
  const { dir, port = 0, host = '127.0.0.1', print = () => undefined, run = createRun(dir) } = options;
  const files = await kafkaFiles(print);
  keepArchive(files);
  const address = {
    host,
    port: await freePort(port),
    controllerPort: await freePort(port === 0 ? 0 : port + 1),
  };
  const properties = prepare(files, join(dir, 'kafka'), address);
  const broker = `${host}:${address.port}`;
  const common = { name: 'kafka', command: files.java, log: run.logOf('kafka'), wave: 'store' } as const;
  const store = await runStore(run, {
    print,
    command: () => ({ ...common, args: javaArgs(files, properties) }),
    ready: () => answers(broker),
    deadlineMs: bootDeadlineMs,
  });
  return Object.assign(store, { brokers: [broker] });
};
