import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { compiledOf, serviceFlags } from '../../../../deploy/local/compile-services.ts';
import { stripperLoadedBy } from '../../../support/stripper-loaded.ts';

const root = resolve(import.meta.dirname, '../../../..');
const home = mkdtempSync(join(tmpdir(), 'gsb-compile-'));
afterAll(() => rmSync(home, { recursive: true }));

const env = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: join(home, 'compiled') };
const compile = (...programs: string[]) =>
  spawnSync(process.execPath, [...serviceFlags, join(root, 'deploy/local/compile.ts'), ...programs], {
    env,
    encoding: 'utf8',
  });

test('a service whose checkout was compiled loads no stripper of types', async () => {
  const service = join(root, 'services/ott/main.ts');
  const run = () => stripperLoadedBy(service, { flags: serviceFlags, env });
  expect(compile(...compiledOf(root))).toMatchObject({ status: 0, stderr: '' });

  expect(await run()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/KAFKA_BROKERS[^]*loaded 0$/),
  });
});

test('what is compiled does not run, nor does what it imports', () => {
  const imported = join(home, 'imported.ts');
  const program = join(home, 'program.ts');
  writeFileSync(imported, `console.log('the imported runs' satisfies string);`);
  writeFileSync(program, `import './imported.ts'; console.log('the program runs');`);
  expect(compile(program)).toMatchObject({ status: 0, stdout: '', stderr: '' });
});

test('what cannot be compiled is named', () => {
  const broken = join(home, 'broken.ts');
  writeFileSync(broken, `import { nothing } from 'node:path';`);
  const { status, stderr } = compile(broken);
  expect(status).toBe(1);
  expect(stderr).toContain('broken.ts');
});
