import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { cpuMsOf, createMeter } from '../../../bench/usage.ts';

test('CPU time is read where a process name has spaces and brackets, with that of children that have ended', () => {
  const stat = '42 (a (b) c) S 1 1 1 0 -1 4194560 9 0 0 0 150 50 30 20 20 0 1 0 1 1 1';

  expect(cpuMsOf(stat)).toBe(2_500);
});

/** The system counts in hundredths of a second; the rest is what shells do to begin and to end. */
const aboutMs = 60;

/** A child of a child works, says what it has used so far, and the same again when it is told to; then both end, when they are. */
const script = `
work() { i=0; while [ $i -lt 120000 ]; do i=$((i + 1)); done; times; }
(echo $BASHPID; (work; read -r go; work; read -r go); :)
echo ended; read -r go`;

/** The first of the two lines that a shell's \`times\` says, in ms: what it has used itself. */
const cpuMsIn = (line: string): number =>
  [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (ms, [, min, sec]) => ms + Number(min) * 60_000 + Number(sec) * 1_000,
    0,
  );

/** Measures the second half of the work, until both have ended; or with the child by itself, until the work is done. */
const measured = async (alone: 'parent' | 'child') => {
  const parent = spawn('bash', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
  const said = async () => String((await lines.next()).value);
  const goOn = () => parent.stdin.write('\n');
  const usedMs = async () => {
    const [own] = [await said(), await said()];
    return cpuMsIn(own);
  };
  const child = { name: 'child', pid: Number(await said()) };
  const meter = createMeter([{ name: 'parent', pid: parent.pid! }, ...(alone === 'child' ? [child] : [])]);
  const beforeMs = await usedMs();
  meter.window(true);
  goOn();
  const workedMs = (await usedMs()) - beforeMs;
  if (alone === 'child') meter.window(false);
  goOn();
  await said();
  if (alone === 'parent') meter.window(false);
  goOn();
  await once(parent, 'exit');
  return { workedMs, ...meter.cpuMs() } as Record<'workedMs' | 'parent' | 'child', number>;
};

test('what a child of a child does counts while a window is open, though both have ended by then, and nothing from before it', async () => {
  const { workedMs, parent } = await measured('parent');

  expect(workedMs).toBeGreaterThan(2 * aboutMs);
  expect(Math.abs(parent - workedMs)).toBeLessThan(aboutMs);
});

test('what a process does that is measured by itself does not count with its parent', async () => {
  const { workedMs, parent, child } = await measured('child');

  expect(Math.abs(child - workedMs)).toBeLessThan(aboutMs);
  expect(parent).toBeLessThan(aboutMs);
});
