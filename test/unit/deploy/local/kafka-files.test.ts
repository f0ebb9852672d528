import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaFiles } from '../../../../deploy/local/kafka-files.ts';

const dir = mkdtempSync(join(tmpdir(), 'gsb-java-'));
const before = { ...process.env };
beforeAll(() => {
  mkdirSync(join(dir, 'bin'));
  Object.assign(process.env, { PATH: `${dir}/bin:${before['PATH']}`, GSB_CACHE_DIR: join(dir, 'cache') });
  program('mvn', `touch ${dir}/fetched`);
});
afterAll(() => {
  Object.assign(process.env, { PATH: before['PATH'], GSB_CACHE_DIR: before['GSB_CACHE_DIR'] ?? '' });
  if (before['GSB_CACHE_DIR'] === undefined) delete process.env['GSB_CACHE_DIR'];
  rmSync(dir, { recursive: true });
});

const program = (name: string, script: string) => {
  writeFileSync(join(dir, 'bin', name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(dir, 'bin', name), 0o755);
};
const java = (version: string, build: string) =>
  program('java', `echo 'openjdk version "${version}" 2023-10-17' >&2; echo '(build ${build})' >&2`);
const files = () => kafkaFiles(() => undefined);

test.each(['11.0.20', '1.8.0_292'])(
  'Java %s is told to be too old before anything is fetched',
  async (version) => {
    java(version, 'a');

    await expect(files()).rejects.toThrow(`needs Java 17 or newer, and ${dir}/bin/java is ${version}`);

    expect(existsSync(join(dir, 'fetched'))).toBe(false);
  },
);

test('a class archive is of the Java that wrote it: another build writes its own', async () => {
  const archives: string[] = [];
  for (const build of ['17.0.9+9-1', '17.0.9+9-2', '17.0.9+9-1']) {
    java('17.0.9', build);
    archives.push((await files()).archive);
  }

  expect(archives[0]).toBe(archives[2]);
  expect(archives[0]).not.toBe(archives[1]);
  expect(archives[0]).toContain('java-17.0.9');
});
