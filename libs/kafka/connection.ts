import { Kafka, Partitioners, logLevel } from 'kafkajs';
import type { Admin, Consumer, KafkaConfig, LogEntry, Producer } from 'kafkajs';
import type { TopicName } from '#libs/contracts/topics.ts';
import type { Log } from '#libs/runtime/log.ts';
import './kafkajs-idle-timer-fix.ts';
import { anyBrokerReachable } from './admin/broker-reachability.ts';

const connectTimeoutMs = 1_000;
const requestTimeoutMs = 10_000;

/** An outage of the broker shorter than about a minute is waited out inside the driver: no send fails, nothing is doubled. */
const retry = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 60, factor: 0.2, multiplier: 1.5 };

/** A fetch waits a quarter of a second for something to bring, and brings at most a few thousand events; a silent member is out after ten. */
const reading = {
  sessionTimeout: 6_000,
  rebalanceTimeout: 15_000,
  heartbeatInterval: 1_000,
  minBytes: 1,
  maxWaitTimeInMs: 250,
  maxBytes: 1_048_576,
  maxBytesPerPartition: 262_144,
  allowAutoTopicCreation: false,
};

/** Reading a stretch of the log through: few, large fetches. */
const rereading = { ...reading, maxWaitTimeInMs: 50, maxBytes: 8_388_608, maxBytesPerPartition: 4_194_304 };

const writing = {
  idempotent: true,
  allowAutoTopicCreation: false,
  createPartitioner: Partitioners.DefaultPartitioner,
};

/** The way to one Kafka cluster; each client made here opens its own connections. */
export interface KafkaConnection {
  /** A topic or a group as it is called on this cluster. */
  onCluster(name: TopicName | (string & {})): string;
  producer(): Producer;
  consumer(group: string): Consumer;
  /** A consumer for reading a stretch of the log once. */
  replayConsumer(group: string): Consumer;
  admin(): Admin;
  /** Whether any broker takes connections now. */
  reachable(): Promise<boolean>;
}

/** Where the cluster is; `prefix` keeps several instances of the product apart on one cluster. */
export interface KafkaConnectionOptions {
  readonly brokers: readonly string[];
  readonly tls?: boolean;
  /** By SCRAM-SHA-512. */
  readonly login?: { readonly username: string; readonly password: string };
  readonly clientId: string;
  readonly log: Log;
  readonly prefix?: string;
}

/** Said at every start; our sender replaces a producer whose tries are used up, so nothing is invalidated. */
const knownWarning = 'Limiting retries for the idempotent producer';

const logCreator = (log: Log) => () => (entry: LogEntry) => {
  const { namespace: what, level, log: said } = entry;
  if (level > logLevel.WARN || said.message.startsWith(knownWarning)) return;
  log.warn({ what, group: said['groupId'], error: said['error'] }, `kafkajs: ${said.message}`);
};

/** Names a cluster and how to talk to it; nothing is opened yet. */
export const connectKafka = ({
  brokers,
  tls = false,
  login,
  clientId,
  log,
  prefix = '',
}: KafkaConnectionOptions): KafkaConnection => {
  const options: KafkaConfig = {
    brokers: [...brokers],
    ssl: tls,
    ...(login && { sasl: { mechanism: 'scram-sha-512', ...login } }),
    clientId,
    retry,
    connectionTimeout: connectTimeoutMs,
    requestTimeout: requestTimeoutMs,
    logLevel: logLevel.WARN,
    logCreator: logCreator(log),
  };
  /** One for each client: kafkajs shares the committed offsets of a group among all consumers of an instance. */
  const kafka = (): Kafka => new Kafka(options);
  const onCluster = (name: string): string => prefix + name;
  return {
    onCluster,
    producer: () => kafka().producer({ ...writing, retry }),
    consumer: (group) => kafka().consumer({ ...reading, groupId: onCluster(group), retry }),
    replayConsumer: (group) => kafka().consumer({ ...rereading, groupId: onCluster(group), retry }),
    admin: () => kafka().admin({ retry }),
    reachable: () => anyBrokerReachable(brokers),
  };
};
