import type { GroupMembership } from './group-membership.ts';

const pauseAbove = 2_000;
const resumeBelow = 1_000;

/** What pauses and resumes fetching. */
export type PausableConsumer = Pick<GroupMembership, 'pause' | 'resume'>;

/** Backpressure: pauses fetching of some topics while too many of their events are in flight. */
export interface FlowControl {
  /** To be called whenever the number of events in flight changes. */
  adjust(inFlight: number): void;
  /** Pauses the topics again if they are to be paused: a new assignment resumes all partitions. */
  reapply(): void;
}

/** Pauses above 2,000 events in flight and resumes below 1,000. */
export const createFlowControl = (consumer: PausableConsumer, topics: readonly string[]): FlowControl => {
  let paused = false;
  return {
    adjust: (inFlight) => {
      if (paused ? inFlight >= resumeBelow : inFlight <= pauseAbove) return;
      paused = !paused;
      if (paused) consumer.pause(topics);
      else consumer.resume(topics);
    },
    reapply: () => {
      if (paused) consumer.pause(topics);
    },
  };
};
