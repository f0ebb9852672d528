import { validateObjects } from '#libs/catalog/cluster-objects.ts';
import type { ClusterObject, KnownObjects } from '#libs/catalog/cluster-objects.ts';
import { createStatusWriter } from '#libs/catalog/game-status.ts';
import type { Log } from '#libs/runtime/log.ts';

/** A Game whose one key has this id. */
const game = (
  name: string,
  id: string,
  { createdMs = 1, generation = 1, uid = name } = {},
): ClusterObject => ({
  kind: 'Game',
  metadata: { name, uid, generation, creationTimestamp: new Date(createdMs).toISOString() },
  spec: { displayName: name, keys: [{ id, sha256: 'a'.repeat(64) }] },
});

/** Two Games, of which one is edited to name the key id that the other has: by age it would win, and by who came first it does not. */
const young = game('young', 'bbbbbbbb', { createdMs: 2 });
const old = game('old', 'aaaaaaaa');
const oldEdited = game('old', 'bbbbbbbb', { generation: 2 });

/** A cluster with Games, whose replicas read them when they are told to. */
const createCluster = () => {
  const stored = new Map<string, ClusterObject>();
  const cluster = { nowMs: 1_000_000, patches: 0, isWritable: true };
  const set = async (name: string, status: unknown) => {
    cluster.patches += 1;
    if (!cluster.isWritable) throw new Error('forbidden');
    stored.set(name, { ...stored.get(name), status });
  };
  const newReplica = (known: KnownObjects = new Map()) => {
    const log = { warn: () => undefined } as unknown as Log;
    const write = createStatusWriter({ set, clock: () => cluster.nowMs, log });
    let refused: string[] = [];
    const read = async (): Promise<void> => {
      const games = [...stored.values()];
      const validation = validateObjects(games, known);
      known = validation.accepted;
      refused = [...validation.refused.keys()];
      await write(games, validation);
    };
    return { read, refused: () => refused };
  };
  return Object.assign(cluster, {
    newReplica,
    apply: (object: ClusterObject) => {
      const name = object.metadata!.name!;
      stored.set(name, { ...object, status: stored.get(name)?.status });
    },
    remove: (name: string) => stored.delete(name),
    /** As watches have it: whatever one writes, all read. */
    settle: async (...replicas: { read: () => Promise<void> }[]) => {
      const before = cluster.patches;
      for (let round = 0; round < 20; round++) for (const { read } of replicas) await read();
      return cluster.patches - before;
    },
    accepted: (name: string) =>
      (stored.get(name)?.status as { conditions: { status: string }[] }).conditions[0]?.status,
  });
};

test('a replica that starts refuses the Game of two that those before it refuse, and rewrites nothing (D-32)', async () => {
  const cluster = createCluster();
  const first = cluster.newReplica();
  cluster.apply(old);
  cluster.apply(young);
  await cluster.settle(first);
  cluster.apply(oldEdited);
  await cluster.settle(first);

  const later = cluster.newReplica();

  expect(await cluster.settle(first, later)).toBe(0);
  expect([first.refused(), later.refused()]).toEqual([['Game old'], ['Game old']]);
  expect([cluster.accepted('old'), cluster.accepted('young')]).toEqual(['False', 'True']);
});

test('a verdict on what stood in a Game before its last edit puts it before nobody (D-32)', async () => {
  const cluster = createCluster();
  const first = cluster.newReplica();
  cluster.apply(old);
  cluster.apply(young);
  await cluster.settle(first);
  // Nobody runs when it is edited: what its status says is of the version before.
  cluster.apply(oldEdited);

  const next = cluster.newReplica();
  await cluster.settle(next);

  expect(next.refused()).toEqual(['Game old']);
});

describe('replicas that disagree about two Games (D-32)', () => {
  const disagreeing = () => {
    const cluster = createCluster();
    const knowing = (object: ClusterObject) =>
      cluster.newReplica(validateObjects([object], new Map()).accepted);
    const replicas = [knowing(oldEdited), knowing(young)];
    cluster.apply(oldEdited);
    cluster.apply(young);
    return { cluster, replicas };
  };

  test('write their verdicts once in half a minute each', async () => {
    const { cluster, replicas } = disagreeing();

    // Each on both Games.
    expect(await cluster.settle(...replicas)).toBe(4);
    cluster.nowMs += 29_999;
    expect(await cluster.settle(...replicas)).toBe(0);
    cluster.nowMs += 1;
    expect(await cluster.settle(...replicas)).toBe(4);
  });

  test('tell at once when the conflict is over', async () => {
    const { cluster, replicas } = disagreeing();
    await cluster.settle(...replicas);

    cluster.apply(game('old', 'cccccccc', { generation: 3 }));
    await cluster.settle(...replicas);

    expect([cluster.accepted('old'), cluster.accepted('young')]).toEqual(['True', 'True']);
  });
});

test('a Game that is deleted and made again has its status at once', async () => {
  const cluster = createCluster();
  const replica = cluster.newReplica();
  cluster.apply(old);
  await cluster.settle(replica);

  cluster.remove('old');
  cluster.apply(game('old', 'aaaaaaaa', { uid: 'another' }));
  await cluster.settle(replica);

  expect(cluster.accepted('old')).toBe('True');
});

test('what could not be written is written at the next reading', async () => {
  const cluster = createCluster();
  const replica = cluster.newReplica();
  cluster.apply(old);
  cluster.isWritable = false;
  await replica.read();

  cluster.isWritable = true;
  await replica.read();

  expect(cluster.accepted('old')).toBe('True');
});
