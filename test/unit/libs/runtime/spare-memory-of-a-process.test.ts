import { podFlags } from '../../../../deploy/local/pod-flags.ts';
import { processOf } from '../../../support/process-of.ts';

describe('memory that holds nothing is given back (D-67)', () => {
  /** What a process has given back, in MB, that has held 200 MB and `goesOn`; whether V8 saves memory, as it does where its flags are not as before. */
  const givenBackBy = async (goesOn: string) => {
    const program = `
      import { cachedDataVersionTag, setFlagsFromString } from 'node:v8';
      import { collectOldSeldom } from '#libs/runtime/collections.ts';
      import { createLook, spareMemory } from '#libs/runtime/spare-memory.ts';
      collectOldSeldom();
      const some = (count) => Array.from({ length: count }, (_, index) => ({ index, text: 'held ' + index }));
      let held = [];
      for (let round = 0; round < 20; round += 1) held = some(600_000);
      held = held.slice(0, 5_000);
      setFlagsFromString('--no-memory-saver-mode');
      const asBefore = cachedDataVersionTag();
      const saves = () => cachedDataVersionTag() !== asBefore;
      const log = { info: (fields, message) => console.log(JSON.stringify({ ...fields, saves: saves(), message })) };
      ${goesOn}
    `;
    const { child, printed, ended } = processOf(program, podFlags);
    try {
      await printed(/gave back/);
    } finally {
      child.kill();
    }
    const { logged } = await ended;
    return JSON.parse(logged[0] ?? '') as { from: number; to: number; saves: boolean };
  };

  test('by a process that rests, whose pages V8 would keep: most of what holds nothing is gone', async () => {
    const { from, to, saves } = await givenBackBy(`
      await spareMemory(log, 20).start(() => undefined);
      setInterval(() => held.length, 1_000);
    `);

    // Of some 230 it leaves 76 to 104: what Node itself needs, and what its other threads have in hand.
    expect(from).toBeGreaterThan(168);
    expect(to).toBeLessThan(from / 2);
    expect(saves).toBe(false);
  });

  test('by one that works, at V8’s own next collection: nobody looks a second time', async () => {
    const { from, to, saves } = await givenBackBy(`
      const asked = createLook(log);
      // Who was busy for more than nine tenths of the time is asked once more.
      const asks = setInterval(() => (asked(), saves() && clearInterval(asks)), 500);
      let kept = [];
      setInterval(() => (kept = [...kept.slice(-50), some(2_000)]), 5);
    `);

    expect(from).toBeGreaterThan(168);
    expect(to).toBeLessThan(0.7 * from);
    expect(saves).toBe(false);
  });
});
