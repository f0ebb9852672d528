import type { Log } from '#libs/runtime/log.ts';
import { partitionName } from '../fetched-message.ts';
import type { OffsetRange } from '../replay/offset-ranges.ts';
import type { Assignment } from './assignment.ts';

/** How far a store holds what was consumed, kept in the store itself (D-38). */
export interface StorePositions {
  /**
   * Notes that the store holds a range. Where it lacks messages before the range it notes nothing, unless `force`d, and resolves to the
   * offset of the first one that it lacks.
   */
  advance(range: OffsetRange, force: boolean): Promise<number | undefined>;
  /** The offset of the first message that the store does not hold, of each partition that it has a position on. */
  current(): Promise<readonly Place[]>;
}

/** An offset of a partition; the topic is named as on the cluster. */
export interface Place extends Pick<OffsetRange, 'topic' | 'partition'> {
  readonly offset: number;
}

/** Compares what was consumed with what the store holds. */
export interface RangeCheck {
  /** Resolves to the offset from which a partition must be read again, if the store lacks what was before a range. */
  check(range: OffsetRange): Promise<number | undefined>;
  /** To be called after a new assignment. */
  assigned(assignment: Assignment): void;
  /** The places from which partitions must be read that have had no message since the store lost some, or since they were assigned. */
  behind(): Promise<readonly Place[]>;
}

const namesOf = (assignment: Assignment): string[] =>
  Object.entries(assignment).flatMap(([topic, partitions]) =>
    partitions.map((partition) => partitionName({ topic, partition })),
  );

const isBelow =
  (known: ReadonlyMap<string, number>) =>
  (place: Place): boolean =>
    place.offset < (known.get(partitionName(place)) ?? 0);

/**
 * A store may lose what was committed to it: a standby that was promoted, a backup. The group's offsets do not know that; the store's own
 * positions do. What the log does not hold any more is passed over after one try, and logged.
 */
export const createRangeCheck = (positions: StorePositions, log: Log): RangeCheck => {
  const rewound = new Map<string, number>();
  /** Up to which offset the store held each assigned partition when it was last heard of; Infinity: the group's offset is all that is known. */
  let held = new Map<string, number>();
  const lacks = (place: Place): void =>
    log.warn({ ...place }, 'the store lacks messages that were consumed; reading them again');
  return {
    assigned: (assignment) => {
      rewound.clear();
      held = new Map(namesOf(assignment).map((name) => [name, Infinity]));
    },
    check: async (range) => {
      const { topic, partition, to } = range;
      const name = partitionName(range);
      const lacksFrom = await positions.advance(range, false);
      if (lacksFrom === undefined) {
        // It may fall back to the same place once more.
        rewound.delete(name);
        return void held.set(name, to);
      }
      const place = { topic, partition, offset: lacksFrom };
      if (rewound.get(name) === lacksFrom) {
        log.error(place, 'the store lacks messages that the log has no more');
        return positions.advance(range, true);
      }
      rewound.set(name, lacksFrom);
      lacks(place);
      return lacksFrom;
    },
    behind: async () => {
      const before = held;
      const known = new Map(held);
      const found = (await positions.current()).filter(isBelow(known));
      if (before !== held) return [];
      for (const each of found) {
        if (known.get(partitionName(each)) !== Infinity) lacks(each);
        held.set(partitionName(each), each.offset);
      }
      return found;
    },
  };
};
