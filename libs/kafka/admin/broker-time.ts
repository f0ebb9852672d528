import kafkajs from 'kafkajs';
import type { Admin } from 'kafkajs';

// Node does not find these two among the names that kafkajs exports.
const { ConfigResourceTypes, ConfigSource } = kafkajs;

/** The broker's clock, not the producer's, stamps a topic's messages: windows of the log are asked for by time, and producers' clocks may be wrong (D-33). */
export const brokerTime = { name: 'message.timestamp.type', value: 'LogAppendTime' } as const;

const type = ConfigResourceTypes.TOPIC;

/** Sets it where it is not set, and leaves what else was configured for the topics; resolves to the topics that were changed. */
export const setBrokerTime = async (
  admin: Pick<Admin, 'describeConfigs' | 'alterConfigs'>,
  topics: readonly string[],
): Promise<string[]> => {
  if (topics.length === 0) return [];
  const described = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type, name })),
  });
  const producersTime = described.resources.filter(
    ({ configEntries }) =>
      !configEntries.some(
        ({ configName, configValue }) => configName === brokerTime.name && configValue === brokerTime.value,
      ),
  );
  if (producersTime.length === 0) return [];
  const resources = producersTime.map(({ resourceName, configEntries }) => {
    const own = configEntries.filter(
      ({ configSource, configName }) =>
        configSource === ConfigSource.TOPIC_CONFIG && configName !== brokerTime.name,
    );
    const kept = own.map(({ configName, configValue }) => ({ name: configName, value: configValue }));
    return { type, name: resourceName, configEntries: [...kept, brokerTime] };
  });
  await admin.alterConfigs({ validateOnly: false, resources });
  return producersTime.map(({ resourceName }) => resourceName);
};
