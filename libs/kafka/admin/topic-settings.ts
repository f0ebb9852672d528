import kafkajs from 'kafkajs';
import type { Admin, DescribeConfigResponse } from 'kafkajs';

// Node does not find these two among the names that kafkajs exports.
const { ConfigResourceTypes, ConfigSource } = kafkajs;

/**
 * What every topic has, whatever the brokers' defaults are. The broker's clock, not the producer's, stamps its messages: windows of the log are
 * asked for by time, and producers' clocks may be wrong (D-33). The broker leaves batches as they were written: it would compress them with
 * what not every reader can read.
 */
export const settingsOfAll = [
  { name: 'message.timestamp.type', value: 'LogAppendTime' },
  { name: 'compression.type', value: 'producer' },
] as const;

type Described = DescribeConfigResponse['resources'][number];

/** A topic, by its name on the cluster, and what was set on it. */
export interface TopicSet {
  readonly topic: string;
  readonly settings: readonly string[];
}

const type = ConfigResourceTypes.TOPIC;

const lackingOf = ({ configEntries }: Described) => {
  const values = new Map(configEntries.map(({ configName, configValue }) => [configName, configValue]));
  return settingsOfAll.filter(({ name, value }) => values.get(name) !== value);
};

/** What was configured for a topic itself, and what it lacks. */
const withSettings = ({ resourceName, configEntries }: Described) => {
  const own = configEntries.filter(
    ({ configSource, configName }) =>
      configSource === ConfigSource.TOPIC_CONFIG && !settingsOfAll.some(({ name }) => name === configName),
  );
  const kept = own.map(({ configName, configValue }) => ({ name: configName, value: configValue }));
  return { type, name: resourceName, configEntries: [...kept, ...settingsOfAll] };
};

/** Sets them where they are not so, and leaves what else was configured for the topics; resolves to the topics that were changed. */
export const setSettings = async (
  admin: Pick<Admin, 'describeConfigs' | 'alterConfigs'>,
  topics: readonly string[],
): Promise<TopicSet[]> => {
  if (topics.length === 0) return [];
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type, name })),
  });
  const lacking = resources.filter((each) => lackingOf(each).length > 0);
  if (lacking.length === 0) return [];
  await admin.alterConfigs({ validateOnly: false, resources: lacking.map(withSettings) });
  return lacking.map((each) => ({
    topic: each.resourceName,
    settings: lackingOf(each).map(({ name, value }) => `${name}=${value}`),
  }));
};
