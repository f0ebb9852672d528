import { ceType, events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import { bundleType } from '#libs/kafka/bundle.ts';
import { topicsOf } from '#libs/kafka/topics-of.ts';
import { topics } from '#libs/contracts/topics.ts';
import type { TopicName } from '#libs/contracts/topics.ts';
import { exampleOf, jsonSchema } from './schema.ts';
import type { Json } from './schema.ts';

const names = Object.keys(events) as EventName[];
const topicNames = Object.keys(topics) as TopicName[];
const onTopic = (topic: TopicName) => names.filter((name) => topicsOf([name]).includes(topic));
const id = (name: string) => name.replace(/[^A-Za-z0-9]/g, '_');

const text = (description: string, example: string): Json => ({ type: 'string', description, example });
const fixed = (description: string, value: string): Json => ({ ...text(description, value), const: value });

const requiredHeaders = (name: EventName): Json => ({
  ce_specversion: fixed('CloudEvents 1.0, Kafka binary binding.', '1.0'),
  ce_id: text(
    'Id of the event. Delivery is at least once: a consumer may receive an event again.',
    '3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47',
  ),
  ce_type: fixed('What happened.', ceType(name)),
  ce_source: text('The service that published it.', topics[events[name].topic].writers[0]),
  ce_time: { ...text('When it was published, RFC 3339.', '2026-11-20T09:00:00.000Z'), format: 'date-time' },
  ce_subject: text(
    `The key of the message: ${topics[events[name].topic].key}.`,
    'gs_3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47',
  ),
  'content-type': fixed('The media type of the value.', 'application/json'),
});

const optionalHeaders: Json = {
  traceparent: text('W3C trace context.', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
  gsb_request_id: text('The request that caused it.', 'req_0f9d3c1e5b7a4d2c8e6f1a3b5c7d9e0f'),
  gsb_reply_to: text(
    'The address of the caller that waits for a reply: a replica, and the number of a request there.',
    'game-session-1#42',
  ),
  gsb_deadline: text('When that caller stops waiting, in ms since the Unix epoch.', '1795165205000'),
};

/** A schema with `examples` instead of OpenAPI's `example`, which JSON Schema, and so AsyncAPI, does not have. */
const withExamples = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withExamples);
  if (typeof value !== 'object' || value === null) return value;
  const { example, ...rest } = value as Json;
  const same = Object.fromEntries(Object.entries(rest).map(([name, item]) => [name, withExamples(item)]));
  return example === undefined ? same : { ...same, examples: [example] };
};

const message = (name: EventName): Json => {
  const required = requiredHeaders(name);
  const headers = {
    type: 'object',
    required: Object.keys(required),
    properties: { ...required, ...optionalHeaders },
  };
  const payload = jsonSchema(events[name].data);
  return {
    name: ceType(name),
    title: name,
    summary: events[name].summary,
    contentType: 'application/json',
    headers: withExamples(headers),
    payload: withExamples(payload),
    examples: [{ name, headers: exampleOf(headers), payload: exampleOf(payload) }],
  };
};

const bundled = (topic: TopicName): string => {
  const those = onTopic(topic).filter((name) => 'inBundles' in events[name]);
  return those.length === 0
    ? ''
    : ` Several of one name may share a message of the type ${bundleType} (D-39): ${those.join(', ')}.`;
};

const channel = (topic: TopicName): Json => {
  const { key, summary, partitions, retentionSec } = topics[topic];
  return {
    address: topic,
    title: topic,
    summary,
    description: `${summary} Messages are ordered by ${key} and kept for ${retentionSec} s.${bundled(topic)}`,
    messages: Object.fromEntries(
      onTopic(topic).map((name) => [id(name), { $ref: `#/components/messages/${id(name)}` }]),
    ),
    bindings: {
      kafka: { topic, partitions, topicConfiguration: { 'retention.ms': retentionSec * 1000 } },
    },
  };
};

/** The operation of a service that writes or reads a topic, under its id. */
const operation = (topic: TopicName, action: 'send' | 'receive', service: string) => [
  `${id(service)}_${action}s_${id(topic)}`,
  {
    action,
    channel: { $ref: `#/channels/${id(topic)}` },
    title: `${service} ${action}s ${topic}`,
    summary: topics[topic].summary,
    description: `${service} ${action === 'send' ? 'writes to' : 'reads from'} ${topic}.`,
    tags: [{ name: service }],
  },
];

const operations = topicNames.flatMap((topic) => [
  ...topics[topic].writers.map((service) => operation(topic, 'send', service)),
  ...topics[topic].readers.map((service) => operation(topic, 'receive', service)),
]);

const services = [...new Set(topicNames.flatMap((topic) => [...topics[topic].writers]))].sort();

/** The AsyncAPI 3 document of all events between the services. */
export const asyncapi = (): Json => ({
  asyncapi: '3.0.0',
  info: {
    title: 'gsb: events',
    version: '1',
    description: 'All events between the five services.',
    license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    tags: services.map((name) => ({ name, description: `What ${name} writes and reads.` })),
  },
  defaultContentType: 'application/json',
  channels: Object.fromEntries(topicNames.map((topic) => [id(topic), channel(topic)])),
  operations: Object.fromEntries(operations),
  components: { messages: Object.fromEntries(names.map((name) => [id(name), message(name)])) },
});
