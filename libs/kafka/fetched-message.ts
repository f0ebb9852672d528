import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { RequestAttributes } from '#libs/contracts/delivery.ts';
import { ceType, events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';

/** A message as a consumer fetched it; the topic is named as on the cluster. */
export interface FetchedMessage {
  readonly topic: string;
  readonly partition: number;
  readonly message: KafkaMessage;
}

/** One name for a partition of a topic. */
export const partitionName = ({ topic, partition }: Pick<FetchedMessage, 'topic' | 'partition'>): string =>
  `${topic}#${partition}`;

/** The number of a partition, by its name, within its topic. */
export const numberIn = (name: string): string => name.slice(name.lastIndexOf('#') + 1);

/** Whether a partition, by its name, is one of a topic. */
export const isPartitionOf = (topic: string, name: string): boolean =>
  name.slice(0, name.lastIndexOf('#')) === topic;

/** One header of a message as text; of a repeated one the first value. Undefined where it is absent or, as Kafka allows, null. */
export const textHeader = (headers: IHeaders | undefined, name: string): string | undefined => {
  const value = headers?.[name];
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : first?.toString();
};

/** All headers of a message as text: for who shows or keeps them. Who looks for a few takes `textHeader`. */
export const textHeaders = (headers: IHeaders = {}): Record<string, string> => {
  const texts: Record<string, string> = {};
  for (const name in headers) {
    const text = textHeader(headers, name);
    if (text !== undefined) texts[name] = text;
  }
  return texts;
};

const typePrefix = ceType('' as EventName);
/** Our own names by their types: to look one up costs less than to cut the prefix off. */
const nameOfType = new Map((Object.keys(events) as EventName[]).map((name) => [ceType(name), name]));

/** The name of the event in a message: its CloudEvents type without our prefix; undefined without a type. */
export const eventNameOf = (message: KafkaMessage): string | undefined => {
  const type = textHeader(message.headers, 'ce_type');
  if (type === undefined) return undefined;
  return nameOfType.get(type) ?? (type.startsWith(typePrefix) ? type.slice(typePrefix.length) : type);
};

/** The request that a message belongs to, if any. */
export const requestOf = (headers: IHeaders | undefined): RequestAttributes | undefined => {
  const requestId = textHeader(headers, 'gsb_request_id');
  if (requestId === undefined) return undefined;
  const replyTo = textHeader(headers, 'gsb_reply_to');
  const deadline = textHeader(headers, 'gsb_deadline');
  const deadlineMs = Number(deadline);
  return {
    requestId,
    ...(replyTo !== undefined && { replyTo }),
    ...(deadline !== undefined && Number.isSafeInteger(deadlineMs) && { deadlineMs }),
  };
};
