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
program(
  'docker',
  `echo "$*" >>${calls}; case "$*" in *inspect*) echo sha256:0123 ;; esac
while [ $# -gt 0 ]; do [ "$1" = --metadata-file ] && printf '{\\n  "containerimage.digest": "sha256:4567"\\n}' >"$2"; shift; done`,
);
afterAll(() => rmSync(dir, { recursive: true }));

/** The builds, when the supply chain's check ends with a code. */
const builtAfter = (code: number) => {
  program('npm', `[ "$*" = 'run --silent supply-chain' ] && exit ${code}; exit 9`);
  writeFileSync(calls, '');
  const env = { ...process.env, PATH: `${dir}:${process.env['PATH'] ?? ''}` };
  const { status, stdout } = spawnSync(script, ['registry.example/gsb:1', '--push'], {
    env,
    encoding: 'utf8',
  });
  const builds = readFileSync(calls, 'utf8')
    .split('\n')
    .filter((call) => call.includes('buildx build'));
  const told = stdout.split('\n').filter((line) => line.startsWith('built '));
  return { status, builds, told };
};

describe('what is published', () => {
  test('is both images, each with provenance and a bill of materials, on bases by digest', () => {
    const { status, builds, told } = builtAfter(0);

    expect(status).toBe(0);
    expect(builds).toEqual([
      expect.stringContaining('--tag registry.example/gsb:1 '),
      expect.stringContaining('--tag registry.example/gsb-simulators:1 --target simulators '),
    ]);
    for (const build of builds)
      expect(build).toMatch(/--provenance=mode=max --sbom=true .*NODE_IMAGE=\S+@sha256:\w+ .*@sha256:/);
    expect(told).toEqual([
      'built registry.example/gsb:1@sha256:4567',
      'built registry.example/gsb-simulators:1@sha256:4567',
    ]);
  });

  test.each([
    ['is not accepted', 1],
    ['cannot be asked of the registry', 2],
  ])('is nothing when the supply chain %s', (_what, code) => {
    expect(builtAfter(code)).toEqual({ status: code, builds: [], told: [] });
  });
});
