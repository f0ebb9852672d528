import type { Catalog } from '#libs/catalog/catalog.ts';
import type { Tallied } from '#libs/records/tally.ts';
import type { EventCounts } from '#libs/runtime/count-events.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { NoteSecurity } from '#libs/runtime/security-events.ts';
import type { Ports } from '../ports.ts';
import { wholeKeyId } from './launcher-form.ts';

/** What launcher sessions count. */
export const launcherCounts = (metrics: Metrics): EventCounts => {
  const events = metrics.counter('gsb_launcher_session_events_total');
  return {
    'launcher-session.started': () => events.inc({ event: 'started' }),
    'launcher-session.lapsed': () => events.inc({ event: 'lapsed' }),
    'launcher-session.ended': () => events.inc({ event: 'ended' }),
  };
};

/** What use cases note: each taken seat is counted, and logged with whether it was by the same key from the same address (D-45). */
export const launcherNotes = (metrics: Metrics, note: NoteSecurity): Ports['notes'] => {
  const events = metrics.counter('gsb_launcher_session_events_total');
  return {
    seatTaken: ({ from, by }, { isOwnKey }) => {
      events.inc({ event: isOwnKey ? 'replaced_by_own_key' : 'replaced' });
      const reason = from.ip === by.ip ? 'same_address' : 'other_address';
      const { cafeId, pcId, keyId } = by;
      const kind = isOwnKey ? 'pc-key' : 'launcher-key';
      note('launcher-session.replaced', { kind, reason, cafeId, pcId, keyId });
    },
    addressRefused: (reason, { cafeId, keyId }) => note('address.refused', { reason, cafeId, keyId }),
  };
};

/** The classes of cafes by their PCs, each up to so many. */
const sizes = { up_to_20: 20, up_to_50: 50, up_to_100: 100, up_to_200: 200, over_200: Infinity } as const;
type CafeSize = keyof typeof sizes | 'unknown';

/** The class of a cafe with so many PCs; `unknown` where its key does not say. */
export const sizeOfCafe = (pcs: number | undefined): CafeSize => {
  if (pcs === undefined) return 'unknown';
  return (Object.keys(sizes) as (keyof typeof sizes)[]).find((size) => pcs <= sizes[size]) ?? 'unknown';
};

/** What a tally of live launchers counts by, the key that their start was signed with, and tells: how many there are in cafes of each size. */
export const launcherTally = ({ gauge }: Metrics, catalog: Pick<Catalog, 'launcherKey'>) => {
  const sessions = gauge('gsb_launcher_sessions');
  const told = (tally: readonly Tallied[]): void => {
    for (const size of [...Object.keys(sizes), 'unknown']) sessions.set({ cafe_size: size }, 0);
    for (const { values, count } of tally) {
      const [cafeId = '', keyId = ''] = values;
      const key = catalog.launcherKey(wholeKeyId(cafeId, keyId));
      sessions.inc({ cafe_size: sizeOfCafe(key?.pcs) }, count);
    }
  };
  const fields = [
    ['c', 'cafe_id', ''],
    ['k', 'key_id', ''],
  ] as const;
  return { sets: ['expiries'], fields, told } as const;
};
