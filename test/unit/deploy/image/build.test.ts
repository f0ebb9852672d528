import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const script = resolve(import.meta.dirname, '../../../../deploy/image/build');
const dir = mkdtempSync(join(tmpdir(), 'gsb-build-'));
const calls = join(dir, 'calls');
const program = (name: string, body: string): void => {
  writeFileSync(join(dir, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(dir, name), 0o755);
};
program('docker', `echo "$*" >>${calls}; case "$*" in *inspect*) echo sha256:0123 ;; esac`);
afterAll(() => rmSync(dir, { recursive: true }));

/** The builds, when the supply chain's check ends with a code. */
const builtAfter = (code: number) => {
  program('npm', `[ "$*" = 'run --silent supply-chain' ] && exit ${code}; exit 9`);
  writeFileSync(calls, '');
  const env = { ...process.env, PATH: `${dir}:${process.env['PATH'] ?? ''}` };
  const { status } = spawnSync(script, ['registry.example/gsb:1', '--push'], { env });
  const builds = readFileSync(calls, 'utf8')
    .split('\n')
    .filter((call) => call.includes('buildx build'));
  return { status, builds };
};

describe('what is published', () => {
  test('is both images, each with provenance and a bill of materials, on bases by digest', () => {
    const { status, builds } = builtAfter(0);

    expect(status).toBe(0);
    expect(builds).toEqual([
      expect.stringContaining('--tag registry.example/gsb:1 '),
      expect.stringContaining('--target simulators --tag registry.example/gsb-simulators:1 '),
    ]);
    for (const build of builds)
      expect(build).toMatch(/--provenance=mode=max --sbom=true .*NODE_IMAGE=\S+@sha256:\w+ .*@sha256:/);
  });

  test.each([
    ['is not accepted', 1],
    ['cannot be asked of the registry', 2],
  ])('is nothing when the supply chain %s', (_what, code) => {
    expect(builtAfter(code)).toEqual({ status: code, builds: [] });
  });
});
