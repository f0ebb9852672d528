import { Kafka, logLevel } from 'kafkajs';
import { topics } from '#libs/contracts/topics.ts';
import { sleep } from '#libs/runtime/wait.ts';
import { withAdmin } from '../../support/with-admin.ts';

const deadlineMs = 60_000;
const replicasOfEach = 3;

/** A cluster, past its links. */
const clusterOf = (brokers: string[]): Kafka => {
  const retry = { retries: 10, initialRetryTime: 200, maxRetryTime: 1_000 };
  return new Kafka({ brokers, logLevel: logLevel.NOTHING, retry, connectionTimeout: 1_000 });
};

type Metadata = Awaited<ReturnType<ReturnType<Kafka['admin']>['fetchTopicMetadata']>>;
type Placement = (partition: Metadata['topics'][number]['partitions'][number]) => number[];

const ours = Object.keys(topics);

/** Polls what the cluster says of its topics. */
const untilCluster = async (
  brokers: string[],
  what: string,
  satisfies: (metadata: Metadata) => boolean,
): Promise<void> => {
  const giveUpAt = performance.now() + deadlineMs;
  const look = () => withAdmin(clusterOf(brokers), (admin) => admin.fetchTopicMetadata());
  for (;;) {
    const metadata = await look().catch(() => undefined);
    if (metadata && satisfies(metadata)) return;
    if (performance.now() > giveUpAt) throw new Error(`${what}: not within ${deadlineMs / 1000} s`);
    await sleep(200);
  }
};

const everyPartition = ({ topics: all }: Metadata) => all.flatMap(({ partitions }) => partitions);

/** Resolves when every broker has every message of every partition again. */
export const untilInSync = (brokers: string[]): Promise<void> =>
  untilCluster(brokers, 'every replica in sync', (metadata) =>
    everyPartition(metadata).every(({ isr, leader }) => isr.length === replicasOfEach && leader >= 0),
  );

const reassign = async (brokers: string[], place: Placement): Promise<void> => {
  await withAdmin(clusterOf(brokers), async (admin) => {
    const { topics: all } = await admin.fetchTopicMetadata({ topics: ours });
    const reassigned = all.map(({ name, partitions }) => ({
      topic: name,
      partitionAssignment: partitions.map((each) => ({ partition: each.partitionId, replicas: place(each) })),
    }));
    await admin.alterPartitionReassignments({ topics: reassigned, timeout: 10_000 });
  });
};

/** Moves the leader of every partition of ours to another broker: the leader is taken out of its replicas, and joins them again as the last. */
export const moveLeaders = async (brokers: string[]): Promise<number> => {
  await untilInSync(brokers);
  await reassign(brokers, ({ replicas, leader }) => replicas.filter((node) => node !== leader));
  const isOut = ({ replicas, leader }: { replicas: number[]; leader: number }) =>
    replicas.length < replicasOfEach && replicas.includes(leader);
  await untilCluster(brokers, 'leaders elsewhere', ({ topics: all }) =>
    all.filter(({ name }) => ours.includes(name)).every(({ partitions }) => partitions.every(isOut)),
  );
  await reassign(brokers, ({ replicas }) => [
    ...replicas,
    ...[1, 2, 3].filter((id) => !replicas.includes(id)),
  ]);
  await untilInSync(brokers);
  return ours.length;
};
