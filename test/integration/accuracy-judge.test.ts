import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../support/command.ts';

const accuracy = (...args: string[]) => runCommand('test/accuracy/main.ts', args, {});

describe('npm run accuracy -- --judge FILE', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gsb-accuracy-test-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('says in a sentence that there is no such file, and not that a promise was broken', async () => {
    const path = join(folder, 'nothing.jsonl');

    const { code, out, err } = await accuracy('--judge', path);

    expect({ code, err }).toEqual({ code: 3, err: '' });
    expect(out).toBe(`--judge: ${path} cannot be read.\n`);
  });

  test.each([
    ['a line is no JSON', 'nonsense\n', 'is no history, by its line 1'],
    ['a line is nothing that happens in a run', '{"kind":"weather"}\n', 'is no history, by its line 1'],
    ['nothing is in it', '', 'is no history: it tells of no run'],
  ])('says in a sentence that a file is no history: %s', async (_, text, told) => {
    const path = join(folder, 'history.jsonl');
    writeFileSync(path, text);

    const { code, out, err } = await accuracy('--judge', path);

    expect({ code, err }).toEqual({ code: 3, err: '' });
    expect(out).toBe(`--judge: ${path} ${told}.\n`);
  });
});
