import { events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import type { TopicName } from '#libs/contracts/topics.ts';

/** The topics of events, each once. */
export const topicsOf = (names: readonly EventName[]): TopicName[] => [
  ...new Set(names.map((name) => events[name].topic)),
];
