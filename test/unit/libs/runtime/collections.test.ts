import { podFlags } from '../../../../deploy/local/pod-flags.ts';
import { processOf } from '../../../support/process-of.ts';

/** What V8 says of one of its collections. */
const said = (line: string, what: string): number => Number(new RegExp(` ${what}=(\\d+)`).exec(line)?.[1]);

/** Up to how much V8 lets old objects grow until it collects them again, as a multiple of what its last collection of them left. */
const growthIn = async (asks: string, flags: readonly string[] = podFlags): Promise<number> => {
  const program = `
    import { collectOldSeldom } from '#libs/runtime/collections.ts';
    ${asks}
    const some = () => Array.from({ length: 10_000 }, (_, index) => ({ index, text: 'held ' + index }));
    globalThis.kept = Array.from({ length: 60 }, some);
    // Each is held for so long that it is old when it goes.
    const passing = [];
    for (let round = 0; round < 1_000; round += 1) {
      passing.push(some());
      if (passing.length > 20) passing.shift();
      if (round % 10 === 0) await new Promise(setImmediate);
    }
  `;
  const { code, logged } = await processOf(program, [...flags, '--trace-gc-nvp']).ended;
  expect(code).toBe(0);
  const last = logged.slice(0, -1).findLastIndex((line) => line.includes(' gc=mc '));
  return (
    said(logged[last + 1] ?? '', 'old_gen_allocation_limit') / said(logged[last] ?? '', 'end_object_size')
  );
};

test('old objects may grow by more than V8 lets them in a pod (D-64)', async () => {
  const [usual, seldom] = [await growthIn(''), await growthIn('collectOldSeldom();')];

  expect(usual).toBeGreaterThan(1);
  expect(seldom).toBeGreaterThan(usual + 0.1);
});

test('where a process may have more memory V8 decides', async () => {
  const flags = ['--max-semi-space-size=8', '--max-old-space-size=4096'];
  const [usual, asked] = [await growthIn('', flags), await growthIn('collectOldSeldom();', flags)];

  expect(asked).toBeGreaterThan(usual - 0.1);
});
