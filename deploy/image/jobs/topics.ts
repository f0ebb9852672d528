import { topics } from '#libs/contracts/topics.ts';
import { ensureTopics } from '#libs/kafka/admin/ensure-topics.ts';
import { withPartitions } from '#libs/kafka/admin/with-partitions.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { kafkaAccess } from '#libs/runtime/kafka-settings.ts';
import { copiesOf, topicsSchema } from './config.ts';

/** Creates the topics that are missing and grows those that are too small; doing it again changes nothing. */
runMain(async () => {
  const config = readConfig(topicsSchema, process.env);
  const wanted = withPartitions(topics, config.KAFKA_PARTITIONS);
  const { created, grown, configured } = await ensureTopics({
    ...kafkaAccess(config),
    topics: wanted,
    copies: copiesOf(config),
  });
  const changes = [
    ...created.map((name) => `created ${name}`),
    ...grown.map((name) => `grew ${name}`),
    ...configured.map(({ topic, settings }) => `set ${settings.join(' and ')} on ${topic}`),
  ];
  process.stdout.write(`${changes.length === 0 ? 'the topics are as they should be' : changes.join('\n')}\n`);
});
