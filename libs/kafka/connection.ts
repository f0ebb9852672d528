import { Kafka, Partitioners, logLevel } from 'kafkajs';
import type { Admin, Consumer, ICustomPartitioner, KafkaConfig, LogEntry, Producer } from 'kafkajs';
import type { TopicName } from '#libs/contracts/topics.ts';
import type { Log } from '#libs/runtime/log.ts';
import { onceAMinute } from '#libs/runtime/once-a-minute.ts';
import './kafkajs-fixes/idle-timers.ts';
import './kafkajs-fixes/request-memory.ts';
import './kafkajs-fixes/moved-coordinators.ts';
import './kafkajs-fixes/moved-leaders.ts';
import './kafkajs-fixes/connections.ts';
import './kafkajs-fixes/stopped-fetchers.ts';
import './kafkajs-fixes/lost-topics.ts';
import './kafkajs-fixes/partial-answers.ts';
import './kafkajs-fixes/fast-records.ts';
import './kafkajs-fixes/compression.ts';
import { anyBrokerReachable } from './admin/broker-reachability.ts';
import { metadataMaxAgeMs } from './metadata-age.ts';
import { oauthTokens } from './oauth-tokens.ts';
import type { OauthClient } from './oauth-tokens.ts';

const connectTimeoutMs = 1_000;
const requestTimeoutMs = 5_000;

/** kafkajs retries for about a minute: during a shorter outage of the brokers no send fails, and no message is sent twice. */
const retry = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 60, factor: 0.2, multiplier: 1.5 };

/**
 * A fetch waits at most half a second for messages, since each wakes a service and the broker, and returns at most a few thousand; a member heartbeats
 * between two of them, and leaves the group when it sends none for 6 s.
 */
const consumerConfig = {
  metadataMaxAge: metadataMaxAgeMs,
  sessionTimeout: 6_000,
  rebalanceTimeout: 15_000,
  heartbeatInterval: 1_000,
  minBytes: 1,
  maxWaitTimeInMs: 500,
  maxBytes: 1_048_576,
  maxBytesPerPartition: 262_144,
  allowAutoTopicCreation: false,
};

/** For whom nobody waits: what came within 250 ms is one fetch. */
const gatheringConfig = { ...consumerConfig, minBytes: 262_144, maxWaitTimeInMs: 250 };

/** A replay reads much in few, large fetches. */
const replayConfig = {
  ...consumerConfig,
  maxWaitTimeInMs: 50,
  maxBytes: 2_097_152,
  maxBytesPerPartition: 2_097_152,
};

const producerConfig = {
  metadataMaxAge: metadataMaxAgeMs,
  idempotent: true,
  allowAutoTopicCreation: false,
  retry,
};

/** Makes clients of one Kafka cluster; each client opens its own connections. */
export interface KafkaConnection {
  /** Whether events may be written in bundles (D-39); read they always are. */
  readonly bundles: boolean;
  /** The name of a topic or group on this cluster. */
  onCluster(name: TopicName | (string & {})): string;
  /** An idempotent producer, by default with kafkajs' partitioner. */
  producer(createPartitioner?: ICustomPartitioner): Producer;
  /** `gathers`: nobody waits for what it does, so that it may fetch less often. */
  consumer(group: string, options?: { readonly gathers: boolean }): Consumer;
  /** A consumer for reading a part of the log once. */
  replayConsumer(group: string): Consumer;
  admin(): Admin;
  /** Whether any broker accepts connections now. */
  reachable(): Promise<boolean>;
}

/** A user of SCRAM-SHA-512; with a token endpoint an OAuth client that signs in by its tokens (OAUTHBEARER). */
export type KafkaLogin = { readonly username: string; readonly password: string } | OauthClient;

/** Where the cluster is; `prefix` goes before the names of topics and groups, so that several instances of the product can share a cluster. */
export interface KafkaConnectionOptions {
  readonly brokers: readonly string[];
  readonly tls?: boolean;
  /** Off while readers are about that know no bundles. */
  readonly bundles?: boolean;
  readonly login?: KafkaLogin;
  /** A client certificate and its key, in PEM: the broker knows the client by them (mTLS). */
  readonly certificate?: { readonly cert: string; readonly key: string };
  readonly clientId: string;
  readonly log: Log;
  readonly prefix?: string;
}

/** How kafkajs signs in. */
const saslOf = (login: KafkaLogin): NonNullable<KafkaConfig['sasl']> =>
  'tokenUrl' in login
    ? { mechanism: 'oauthbearer', oauthBearerProvider: oauthTokens(login) }
    : { mechanism: 'scram-sha-512', ...login };

/** kafkajs logs this at every start. It does not apply: idempotent-producer.ts replaces a producer whose retries are used up. */
const knownWarning = 'Limiting retries for the idempotent producer';

/** Each client and each retry says in its own words that a broker is away. */
const ofAway = /connect|broker|closed|timed out|ECONN|coordinator|leader/i;

/** What kafkajs warns of: one line a minute while a broker is away, and one of everything else that it says again and again. */
const logCreator = (log: Log) => {
  const note = onceAMinute<LogEntry>(({ namespace: what, log: content }, count) =>
    log.warn(
      { what, group: content['groupId'], error: content['error'], count },
      `kafkajs: ${content.message}`,
    ),
  );
  return () => (entry: LogEntry) => {
    const { message } = entry.log;
    if (entry.level > logLevel.WARN || message.startsWith(knownWarning)) return;
    note(ofAway.test(message) ? 'away' : message, entry);
  };
};

/** Connection settings of a cluster; nothing is opened yet. */
export const connectKafka = ({
  brokers,
  tls = false,
  bundles = true,
  login,
  certificate,
  clientId,
  log,
  prefix = '',
}: KafkaConnectionOptions): KafkaConnection => {
  const options: KafkaConfig = {
    brokers: [...brokers],
    ssl: tls && { ...certificate },
    ...(login && { sasl: saslOf(login) }),
    clientId,
    retry,
    connectionTimeout: connectTimeoutMs,
    requestTimeout: requestTimeoutMs,
    logLevel: logLevel.WARN,
    logCreator: logCreator(log),
  };
  /** A new instance for each client: kafkajs shares the committed offsets of a group among all consumers of an instance. */
  const kafka = (): Kafka => new Kafka(options);
  const onCluster = (name: string): string => prefix + name;
  return {
    bundles,
    onCluster,
    producer: (createPartitioner = Partitioners.DefaultPartitioner) =>
      kafka().producer({ ...producerConfig, createPartitioner }),
    consumer: (group, { gathers } = { gathers: false }) =>
      kafka().consumer({
        ...(gathers ? gatheringConfig : consumerConfig),
        groupId: onCluster(group),
        retry,
      }),
    replayConsumer: (group) => kafka().consumer({ ...replayConfig, groupId: onCluster(group), retry }),
    admin: () => kafka().admin({ retry }),
    reachable: () => anyBrokerReachable(brokers),
  };
};
