import { ceType, events } from '../events.ts';
import type { EventName } from '../events.ts';
import { topics } from '../topics.ts';
import type { TopicName } from '../topics.ts';
import { jsonSchema } from './schema.ts';
import type { Json } from './schema.ts';

const names = Object.keys(events) as EventName[];
const topicNames = Object.keys(topics) as TopicName[];
const onTopic = (topic: TopicName) => names.filter((name) => events[name].topic === topic);
const id = (name: string) => name.replace(/[^A-Za-z0-9]/g, '_');

const text = (description: string, example: string): Json => ({
  type: 'string',
  description,
  examples: [example],
});

const headers = (name: EventName): Json => ({
  type: 'object',
  required: ['ce_specversion', 'ce_id', 'ce_type', 'ce_source', 'ce_time'],
  properties: {
    ce_specversion: { const: '1.0', description: 'CloudEvents 1.0, Kafka binary binding.' },
    ce_id: text('Id of the event.', '3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47'),
    ce_type: { const: ceType(name), description: 'What happened.' },
    ce_source: text('The service that says it.', '/gsb/game-session'),
    ce_time: text('When it was said, RFC 3339.', '2026-11-20T09:00:00.000Z'),
    ce_subject: text('The key of the message.', 'gs_3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47'),
    traceparent: text('W3C trace context.', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
    gsb_request_id: text('The request that caused it.', 'req_0f9d3c1e5b7a4d2c8e6f1a3b5c7d9e0f'),
    gsb_reply_to: text('Where somebody waits for the outcome.', 'game-session-1#42'),
    gsb_deadline: text('Until when, in ms since the epoch.', '1795230000000'),
  },
});

const message = (name: EventName): Json => ({
  name: ceType(name),
  summary: events[name].summary,
  contentType: 'application/json',
  headers: headers(name),
  payload: jsonSchema(events[name].data),
});

const channel = (topic: TopicName): Json => ({
  address: topic,
  summary: topics[topic].summary,
  messages: Object.fromEntries(
    onTopic(topic).map((name) => [id(name), { $ref: `#/components/messages/${id(name)}` }]),
  ),
});

/** The AsyncAPI 3 document of everything that is said between services. */
export const asyncapi = (): Json => ({
  asyncapi: '3.0.0',
  info: {
    title: 'gsb: events',
    version: '1',
    description: 'Everything that is said between the five services.',
  },
  defaultContentType: 'application/json',
  channels: Object.fromEntries(topicNames.map((topic) => [id(topic), channel(topic)])),
  operations: Object.fromEntries(
    topicNames.map((topic) => [
      `send_${id(topic)}`,
      { action: 'send', channel: { $ref: `#/channels/${id(topic)}` }, summary: topics[topic].summary },
    ]),
  ),
  components: { messages: Object.fromEntries(names.map((name) => [id(name), message(name)])) },
});
