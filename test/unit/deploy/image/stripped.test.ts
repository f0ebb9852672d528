import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stripperLoadedBy } from '../../../support/stripper-loaded.ts';

const root = resolve(import.meta.dirname, '../../../..');
const dockerfile = readFileSync(join(root, 'deploy/image/Dockerfile'), 'utf8');
const [, stripped = ''] = /^RUN node \S+ deploy\/image\/strip-types\.mjs (.+)$/m.exec(dockerfile) ?? [];
const strip = (cwd: string, ...folders: string[]) =>
  spawnSync(process.execPath, [join(root, 'deploy/image/strip-types.mjs'), ...folders], {
    cwd,
    encoding: 'utf8',
  });

/** A checkout as the Dockerfile leaves it. */
const home = mkdtempSync(join(tmpdir(), 'gsb-stripped-'));
beforeAll(() => {
  for (const path of ['libs', 'services', 'deploy', 'package.json'])
    cpSync(join(root, path), join(home, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
  expect(strip(home, ...stripped.split(' ')).status).toBe(0);
});
afterAll(() => {
  rmSync(home, { recursive: true });
});

const loadedBy = (program: string, flags: readonly string[]) =>
  stripperLoadedBy(join(home, program), { flags, cwd: home });
const hook = `--import=${join(home, 'deploy/image/types-are-stripped.mjs')}`;

describe('the source in the image', () => {
  test.each([
    'services/launcher-gateway/main.ts',
    'services/ott/main.ts',
    'services/game-session/main.ts',
    'services/billing-adapter/main.ts',
    'services/settlement/main.ts',
    'deploy/image/jobs/topics.ts',
  ])('%s loads all that it imports, and no stripper of types', async (program) => {
    expect(await loadedBy(program, [hook])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/KAFKA_BROKERS[^]*loaded 0$/),
    });
  });

  test('runs without the hook too, as a command in a pod does, and then loads the stripper', async () => {
    expect(await loadedBy('services/ott/main.ts', [])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/KAFKA_BROKERS[^]*loaded [1-9]\d*$/),
    });
  });

  test('has every line and column where the checkout has it', () => {
    const places = (dir: string) =>
      readFileSync(join(dir, 'services/ott/core/ott.ts'), 'utf8')
        .split('\n')
        .map((line) => [...line.matchAll(/\b(?:return|const)\b/g)].map(({ index }) => index));

    expect(places(home)).toEqual(places(root));
  });
});

test('what has no place in JavaScript stops the build, which names the file', () => {
  const file = join(home, 'deploy', 'an-enum.ts');
  writeFileSync(file, 'export enum Answer { yes }');
  const { status, stderr } = strip(home, 'deploy');

  expect(status).toBe(1);
  expect(stderr).toContain('an-enum.ts: ');
});
