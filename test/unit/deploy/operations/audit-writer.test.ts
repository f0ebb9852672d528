import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditWriter } from '../../../../deploy/operations/audit-writer.ts';

const dir = mkdtempSync(join(tmpdir(), 'gsb-test-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const path = (name: string) => join(dir, name);

/** A pod whose container's log and a command's own output are these files. */
const outputs = (name: string, isShared = false) => {
  for (const end of ['container', 'own']) writeFileSync(path(`${name}.${end}.log`), '');
  symlinkSync(path(`${name}.container.log`), path(`${name}.container`));
  symlinkSync(path(`${name}.${isShared ? 'container' : 'own'}.log`), path(`${name}.own`));
  return { container: path(`${name}.container`), own: path(`${name}.own`) };
};
const inPod = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
const collected = (name: string) => readFileSync(path(`${name}.container.log`), 'utf8');

beforeEach(() => {
  process.stderr.write = () => true;
});
const { write } = process.stderr;
afterEach(() => {
  process.stderr.write = write;
});

test('what an operator does in a pod is in the log of its container, not on his screen alone (D-40)', () => {
  auditWriter(inPod, outputs('exec'))('a line\n');

  expect(collected('exec')).toBe('a line\n');
});

test('a Job’s own output is that log already, and outside a pod there is none', () => {
  auditWriter(inPod, outputs('job', true))('a line\n');
  auditWriter({}, outputs('outside'))('a line\n');

  expect([collected('job'), collected('outside')]).toEqual(['', '']);
});

test('where it cannot be written the command does not begin', () => {
  const gone = { own: path('nothing'), container: path('no/such/log') };
  symlinkSync(path('somewhere'), gone.own);

  expect(() => auditWriter(inPod, gone)('a line\n')).toThrow('ENOENT');
});
