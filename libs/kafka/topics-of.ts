import { events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import type { TopicName } from '#libs/contracts/topics.ts';

const topicsOfOne = (name: EventName): TopicName[] => {
  const { topic, formerTopic = topic } = events[name];
  return [topic, formerTopic];
};

/** The topics of events, each once, and those where versions before write them (D-54). */
export const topicsOf = (names: readonly EventName[]): TopicName[] => [
  ...new Set(names.flatMap(topicsOfOne)),
];
