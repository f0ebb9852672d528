import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached, execute, onPath } from './cache.ts';
import { Missing, step } from './progress.ts';
import type { Print } from './progress.ts';

const version = '4.3.1';
/** The identity of a local cluster. */
export const clusterId = 'Z3NiLWxvY2FsLWNsdXN0ZQ';
const mavenDeadlineMs = 240_000;

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>dev.gsb</groupId><artifactId>local-kafka</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${version}</version></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
</dependencies></project>
`;

const instead =
  'or set KAFKA_BROKERS=host:port to a broker you run (deploy/local/compose.yaml starts one with Docker).';
const missing = (what: string) =>
  new Missing(`Kafka needs ${what}. Install Java 17 or newer and Maven, ${instead}`);

/** Where a broker listens; the controller stays on loopback. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
  readonly controllerPort: number;
  /** A second listener, for clients; they are sent to another port, that of a link which leads here. Brokers go to `port`. */
  readonly clients?: { readonly port: number; readonly advertisedPort: number };
}

/** The brokers of one cluster, and which of them (counted from 0) is meant. */
export interface BrokerPlace {
  readonly cluster: readonly BrokerAddress[];
  readonly index: number;
}

const address = ({ cluster, index }: BrokerPlace): BrokerAddress => {
  const found = cluster[index];
  if (found === undefined) throw new Error(`the cluster has no broker ${index}`);
  return found;
};

const voters = ({ cluster }: BrokerPlace): string =>
  cluster.map(({ controllerPort }, index) => `${index + 1}@127.0.0.1:${controllerPort}`).join(',');

/** The identity of a broker in its log folder, as the storage tool writes it. */
export const metaProperties = ({ index }: BrokerPlace): string =>
  `node.id=${index + 1}\ndirectory.id=Z3NiLWxvY2FsLWJyb2tl${'ABC'.charAt(index)}g\nversion=1\ncluster.id=${clusterId}\n`;

const listenersOf = ({ host, port, controllerPort, clients }: BrokerAddress): string => {
  const [listens, advertises] = clients
    ? [`,CLIENTS://${host}:${clients.port}`, `,CLIENTS://${host}:${clients.advertisedPort}`]
    : ['', ''];
  return `listeners=PLAINTEXT://${host}:${port}${listens},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://${host}:${port}${advertises}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT`;
};

/**
 * The properties of a broker that starts fast, also after kill -9, and has little to do while nobody calls: its controller writes no records
 * that say nothing. Of three brokers each has every message, and two must have it.
 */
export const serverProperties = (folder: string, place: BrokerPlace): string => {
  const replicas = place.cluster.length;
  const inSync = Math.ceil(replicas / 2);
  return `process.roles=broker,controller
node.id=${place.index + 1}
controller.quorum.voters=${voters(place)}
${listenersOf(address(place))}
controller.listener.names=CONTROLLER
log.dirs=${folder}
auto.create.topics.enable=false
default.replication.factor=${replicas}
offsets.topic.replication.factor=${replicas}
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=${replicas}
transaction.state.log.min.isr=${inSync}
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=${replicas}
share.coordinator.state.topic.min.isr=${inSync}
min.insync.replicas=${inSync}
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
metadata.max.idle.interval.ms=0
num.network.threads=1
num.io.threads=2
log.cleaner.dedupe.buffer.size=8388608
`;
};

/** The broker's jars, a formatted log folder and the path of the class archive; kept in the cache. */
export interface KafkaFiles {
  readonly java: string;
  readonly classPath: string;
  readonly formatted: string;
  readonly archive: string;
}

const jarsOf = (folder: string): string =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jar'))
    .sort()
    .map((name) => join(folder, name))
    .join(':');

/** The first error lines of Maven name the cause. */
const unfetched = (error: unknown) => {
  const errors =
    error instanceof Error ? error.message.split('\n').filter((line) => line.includes('ERROR')) : [];
  return new Missing(
    [`Maven could not fetch Apache Kafka ${version}:`, ...errors.slice(0, 3), `Mend that, ${instead}`].join(
      '\n',
    ),
  );
};

const fetchJars = async (folder: string): Promise<void> => {
  const maven = onPath('mvn');
  if (maven === undefined) throw missing('Maven (mvn), to fetch its jars');
  writeFileSync(join(folder, 'pom.xml'), pom);
  const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
  const args = ['-q', '-B', '-ntp', plugin, `-DoutputDirectory=${folder}`, '-DincludeScope=runtime'];
  await execute(maven, args, { cwd: folder, timeout: mavenDeadlineMs }).catch((error: unknown) => {
    throw unfetched(error);
  });
};

const format = async (java: string, classPath: string, folder: string): Promise<void> => {
  const properties = join(folder, 'server.properties');
  writeFileSync(
    properties,
    serverProperties(join(folder, 'log'), {
      cluster: [{ host: '127.0.0.1', port: 9092, controllerPort: 9093 }],
      index: 0,
    }),
  );
  const tool = ['-cp', classPath, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', properties];
  await execute(java, ['-Xmx128m', '-XX:TieredStopAtLevel=1', ...tool], { timeout: 60_000 });
};

const oldestJava = 17;

/** Java on the PATH, its version, and what tells its build from others: a class archive is of one build. */
const findJava = async () => {
  const path = onPath('java');
  const { stderr = '' } = path === undefined ? {} : await execute(path, ['-version']).catch(() => ({}));
  const version = /version "([\w.+-]+)"/.exec(stderr)?.[1];
  if (path === undefined || version === undefined) throw missing('Java (java)');
  const [first = '', second = ''] = version.split('.');
  if (Number.parseInt(first === '1' ? second : first) < oldestJava)
    throw missing(`Java ${oldestJava} or newer, and ${path} is ${version}`);
  return { path, version, build: createHash('sha256').update(stderr).digest('hex').slice(0, 8) };
};

/** Finds or downloads what a broker needs. Throws Missing, which names what to install or set. */
export const kafkaFiles = async (print: Print): Promise<KafkaFiles> => {
  const { path: java, version: javaVersion, build } = await findJava();
  const jars = await step(print, `fetching Apache Kafka ${version} (Maven)`, () =>
    cached(`kafka-${version}`, fetchJars),
  );
  const classPath = jarsOf(jars);
  const formatted = await cached(`kafka-${version}-formatted`, (folder) => format(java, classPath, folder));
  return {
    java,
    classPath,
    formatted: join(formatted, 'log'),
    archive: `${jars}-java-${javaVersion}-${build}.jsa`,
  };
};
