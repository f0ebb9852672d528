import { inOneCall } from '#libs/runtime/in-one-call.ts';
import { readScript } from './record-scripts.ts';
import type { RecordRead, RecordStore } from './record-types.ts';
import type { ServerClocks } from './server-clock.ts';
import { guarded, inPairs, mostAtOnce, outageAfterMs, recordOf, unreadable } from './store-context.ts';
import type { Store } from './store-context.ts';

/** Which record is read, and of whom where it does not exist. */
interface Asked {
  readonly id: string;
  readonly owner: string;
}

/** What the script found: of the record its names and values in turn. */
type Found = Omit<RecordRead<never>, 'record'> & { readonly fields: readonly string[] };

/** What is read in one tick shares one run of the script in each shard. */
const asking = <R>(store: Store<R>, clocks: Pick<ServerClocks, 'learn'>) => {
  const { redis, key, amnestyMs } = store;
  return inOneCall<Asked, Found | 'unreadable'>(
    mostAtOnce,
    (shard, asked) =>
      guarded(store, async (server) => {
        const records = asked.map(({ id }) => `record:${id}`);
        const keys = ['holders', 'marks', 'watch', ...records].map((name) => key(shard, name));
        const owners = asked.map(({ owner }) => owner);
        const args = [outageAfterMs, amnestyMs, server, ...owners];
        const [nowMs, amnestyUntilMs, suspendedUntilMs, all] = await readScript(redis, keys, args);
        clocks.learn(shard, nowMs);
        return all.map((each) => {
          if (each === 'unreadable') return each;
          const [fields, holder, mark] = each;
          return {
            ...{ nowMs, amnestyUntilMs, suspendedUntilMs, fields },
            ...{ holder: holder || undefined, mark: mark || undefined },
          };
        });
      }),
    'tick',
  );
};

/** The reads of a record store; what the servers' clocks say is learnt by them. */
export const createReads = <R>(
  store: Store<R>,
  clocks: Pick<ServerClocks, 'learn'>,
): Pick<RecordStore<R>, 'read' | 'holderOf'> => {
  const askFor = asking(store, clocks);
  const ask = async (shard: string, asked: Asked): Promise<Found> => {
    const found = await askFor(shard, asked);
    if (found === 'unreadable') throw unreadable();
    return found;
  };
  return {
    read: async (id, owner = '') => {
      const { fields, ...found } = await ask(store.shardOf(id), { id, owner });
      return { ...found, record: recordOf(store, id, inPairs(fields)) };
    },
    holderOf: async (owner) => (await ask(store.shardOfOwner(owner), { id: '', owner })).holder,
  };
};
