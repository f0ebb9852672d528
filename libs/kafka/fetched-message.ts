import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { RequestAttributes } from '#libs/contracts/delivery.ts';
import { ceType } from '#libs/contracts/events.ts';
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

/** The headers of a message as text; of a repeated header the first value. */
export const textHeaders = (headers: IHeaders = {}): Record<string, string> => {
  const texts: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) texts[name] = typeof first === 'string' ? first : first.toString();
  }
  return texts;
};

const typePrefix = ceType('' as EventName);

/** The name of the event in a message: its CloudEvents type without our prefix; undefined without a type. */
export const eventNameOf = (message: KafkaMessage): string | undefined => {
  const type = message.headers?.['ce_type']?.toString();
  return type?.startsWith(typePrefix) ? type.slice(typePrefix.length) : type;
};

/** The request that a message belongs to, if any. */
export const requestOf = (headers: Readonly<Record<string, string>>): RequestAttributes | undefined => {
  const { gsb_request_id: requestId, gsb_reply_to: replyTo, gsb_deadline: deadline } = headers;
  if (requestId === undefined) return undefined;
  const deadlineMs = Number(deadline);
  return {
    requestId,
    ...(replyTo !== undefined && { replyTo }),
    ...(deadline !== undefined && Number.isSafeInteger(deadlineMs) && { deadlineMs }),
  };
};
