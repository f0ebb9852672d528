import { rebuildParts } from '#libs/records/rebuild-parts.ts';
import type { PartResult, SharedWork } from '#libs/records/shared-work.ts';

test('a part that another replica has read is followed from where that one stopped, so that nothing between is missed', async () => {
  const byAnother = new Map<string, PartResult>([['sessions#0', { end: 90 }]]);
  const shared: SharedWork = {
    each: async (parts, work) =>
      new Map(
        await Promise.all(
          parts.map(async (part) => [part, byAnother.get(part) ?? (await work(part))] as const),
        ),
      ),
  };
  const read: string[] = [];
  const ends = new Map([
    ['sessions#0', 100],
    ['sessions#1', 50],
  ]);

  const followed = await rebuildParts(shared, { names: [...ends.keys()], ends }, async (part) => {
    read.push(part);
  });

  expect(read).toEqual(['sessions#1']);
  expect([...followed]).toEqual([
    ['sessions#0', 90],
    ['sessions#1', 50],
  ]);
});
