import { cpSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { kafkaFiles, serverProperties } from './kafka-files.ts';
import type { KafkaFiles } from './kafka-files.ts';
import { freePort } from './processes.ts';
import { until } from './progress.ts';
import type { Print } from './progress.ts';
import { createRun } from './run.ts';
import type { Child, Run } from './run.ts';

const bootDeadlineMs = 60_000;

/** A store that this run started, or one that the environment names; the latter is left alone. */
export interface Store {
  readonly pid: number | undefined;
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
}

/** A broker. */
export type KafkaStore = Store & { readonly brokers: string[] };

/** Where a store lives and who is told. */
export interface StoreOptions {
  readonly dir: string;
  readonly port?: number;
  readonly print?: Print;
  readonly run?: Run;
}

/** Readiness is an answer to ApiVersions and a group coordinator that has loaded; an open port is not. */
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

/** The first broker that stops well leaves its class archive for the next ones: they start in half the time. */
const keepArchive = ({ archive }: KafkaFiles): void => {
  if (!existsSync(archive) && existsSync(`${archive}.new`)) renameSync(`${archive}.new`, archive);
};

/** A real Apache Kafka on loopback: KAFKA_BROKERS where it is set and no run of one's own is asked for, else the jars by Maven. */
export const startKafka = async (options: StoreOptions): Promise<KafkaStore> => {
  const { dir, port = 0, print = () => undefined, run = createRun(dir) } = options;
  const files = await kafkaFiles(print);
  const home = join(dir, 'kafka');
  mkdirSync(home, { recursive: true });
  const [at, controllerAt] = [await freePort(port), await freePort(port === 0 ? 0 : port + 1)];
  const properties = join(home, 'server.properties');
  writeFileSync(properties, serverProperties(join(home, 'log'), at, controllerAt));
  cpSync(files.formatted, join(home, 'log'), { recursive: true });
  const broker = `127.0.0.1:${at}`;
  let child: Child | undefined;
  const boot = async () => {
    const log = run.logOf('kafka');
    child = run.start({
      name: 'kafka',
      command: files.java,
      args: javaArgs(files, properties),
      log,
      wave: 'store',
    });
    let gone = false;
    void child.exited.then(() => (gone = true));
    await until('Kafka', async () => gone || (await answers(broker)), bootDeadlineMs);
    if (gone) throw new Error(`Kafka did not start; see ${log}`);
  };
  await boot();
  return {
    brokers: [broker],
    get pid() {
      return child?.pid;
    },
    stop: async () => {
      await child?.stop();
      keepArchive(files);
    },
    kill: async () => {
      child?.kill('SIGKILL');
      await child?.exited;
    },
    restart: boot,
  };
};
