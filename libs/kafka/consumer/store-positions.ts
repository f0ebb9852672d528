import type { Log } from '#libs/runtime/log.ts';
import { partitionName } from '../fetched-message.ts';
import type { OffsetRange } from '../replay/offset-ranges.ts';

/** How far a store holds what was consumed, kept in the store itself (D-38). */
export interface StorePositions {
  /**
   * Notes that the store holds a range. Where it lacks messages before the range it notes nothing, unless `force`d, and resolves to the
   * offset of the first one that it lacks.
   */
  advance(range: OffsetRange, force: boolean): Promise<number | undefined>;
}

/** Compares what was consumed with what the store holds. */
export interface RangeCheck {
  /** Resolves to the offset from which a partition must be read again, if the store lacks what was before a range. */
  check(range: OffsetRange): Promise<number | undefined>;
  /** To be called after a new assignment: reading again may have been cut off. */
  reassigned(): void;
}

/**
 * A store may lose what was committed to it: a standby that was promoted, a backup. The group's offsets do not know that; the store's own
 * positions do. What the log does not hold any more is passed over after one try, and logged.
 */
export const createRangeCheck = (positions: StorePositions, log: Log): RangeCheck => {
  const rewound = new Map<string, number>();
  return {
    reassigned: () => rewound.clear(),
    check: async (range) => {
      const name = partitionName(range);
      const lacksFrom = await positions.advance(range, false);
      if (lacksFrom === undefined) return undefined;
      const fields = { topic: range.topic, partition: range.partition, offset: lacksFrom };
      if (rewound.get(name) === lacksFrom) {
        log.error(fields, 'the store lacks messages that the log has no more');
        return positions.advance(range, true);
      }
      rewound.set(name, lacksFrom);
      log.warn(fields, 'the store lacks messages that were consumed; reading them again');
      return lacksFrom;
    },
  };
};
