import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { eventually, patiently } from '../../../support/eventually.ts';

const dev = resolve(import.meta.dirname, '../../../../deploy/image/dev.mjs');
const home = mkdtempSync(join(tmpdir(), 'gsb-dev-'));
const write = (file: string, text: string) => {
  mkdirSync(join(home, file, '..'), { recursive: true });
  writeFileSync(join(home, file), text);
};
afterAll(() => {
  rmSync(home, { recursive: true });
});

describe('the image for the loop of a developer', () => {
  test('runs a job once', async () => {
    write('services/settlement/migrate.ts', 'console.log(process.argv.at(-1))');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [dev, 'services/settlement/migrate.ts', '--all'],
      { cwd: home },
    );
    expect(stdout).toBe('--all\n');
  });

  test('starts a service again when a file that it imports has changed, and ends it when it is told to', async () => {
    write(
      'services/ott/main.ts',
      "import { word } from './config.ts'; console.log(word); setInterval(() => 0, 1e6);",
    );
    write('services/ott/config.ts', "export const word = 'before';");
    const service = spawn(process.execPath, [dev, 'services/ott/main.ts'], { cwd: home });
    let said = '';
    service.stdout.on('data', (text) => (said += String(text)));
    const hears = (word: string) =>
      eventually(
        async () => said,
        (text) => text.includes(word),
        3_000,
      );
    await patiently(() => hears('before'));

    // What is written before Node looks at the file is no change to it.
    await patiently(() => {
      write('services/ott/config.ts', "export const word = 'after';");
      return hears('after');
    });
    const ended = new Promise((done) => service.on('exit', done));
    service.kill('SIGTERM');
    await ended;
  }, 60_000);
});
