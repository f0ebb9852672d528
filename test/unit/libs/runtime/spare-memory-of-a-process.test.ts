import { podFlags } from '../../../../deploy/local/pod-flags.ts';
import { processOf } from '../../../support/process-of.ts';

describe('memory that holds nothing is given back (D-67)', () => {
  /** What a process has given back, in MB, and for how many ms it stood still for it, that has held 200 MB and `goesOn`. */
  const givenBackBy = async (goesOn: string) => {
    const program = `
      import { createLog } from '#libs/runtime/log.ts';
      import { createLook, spareMemory } from '#libs/runtime/spare-memory.ts';
      const some = (count) => Array.from({ length: count }, (_, index) => ({ index, text: 'held ' + index }));
      let held = [];
      for (let round = 0; round < 20; round += 1) held = some(600_000);
      held = held.slice(0, 5_000);
      const log = createLog({ service: 'test', instance: 'test', level: 'info' });
      ${goesOn}
    `;
    const { child, printed, ended } = processOf(program, podFlags);
    await printed(/gave back/);
    child.kill();
    const { logged } = await ended;
    return JSON.parse(logged[0] ?? '') as { from: number; to: number; duration_ms: number };
  };

  test('by a process that rests, whose pages V8 would keep: most of what holds nothing is gone', async () => {
    const { from, to } = await givenBackBy(`
      await spareMemory(log, 20).start(() => undefined);
      setInterval(() => held.length, 1_000);
    `);

    // Of some 230 it leaves 76 to 104: what Node itself needs, and what its other threads have in hand.
    expect(from).toBeGreaterThan(200);
    expect(to).toBeLessThan(from / 2);
  });

  test('by one that works, at V8’s own next collection: nobody looks a second time', async () => {
    const { from, to } = await givenBackBy(`
      const asked = createLook(log);
      setTimeout(asked, 500);
      let kept = [];
      setInterval(() => (kept = [...kept.slice(-50), some(2_000)]), 5);
    `);

    expect(from).toBeGreaterThan(200);
    expect(to).toBeLessThan(0.7 * from);
  });
});
