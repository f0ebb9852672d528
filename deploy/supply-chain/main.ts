import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { runMain } from '#libs/runtime/run-main.ts';
import { billOfMaterials, isAccepted } from './bill-of-materials.ts';
import type { Part } from './bill-of-materials.ts';
import { secretsInRepository } from './find-secrets.ts';
import { allowedScripts, scriptProblems } from './install-scripts.ts';

const usage = `What the product is made of, and whether that is safe to ship.

  npm run supply-chain        writes .local/sbom.cdx.json (CycloneDX) and .local/licences.txt of what the image has, and checks:
                              licences, advisories (npm audit), install scripts, and secrets in the files that git knows

  What is accepted nevertheless stands in deploy/supply-chain/accepted.json, each with its reason.
  Exit codes: 0 nothing found · 1 something is not accepted · 2 the registry could not be asked for advisories
`;
const root = resolve(import.meta.dirname, '../..');
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const reasons = z.record(z.string(), z.string().min(10, 'needs a reason'));
const accepted = z
  .strictObject({
    ...{ licences: z.array(z.string()), packages: reasons, scripts: reasons },
    ...{ advisories: reasons, secrets: reasons },
  })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'accepted.json'), 'utf8')));

const licenceProblems = (parts: readonly Part[]): string[] =>
  parts
    .filter(({ name, licence }) => !isAccepted(licence, accepted.licences) && !(name in accepted.packages))
    .map(({ name, version, licence }) => `${name} ${version} has the licence ${licence || '(none)'}`);

const audit = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      severity: z.string(),
      via: z.array(z.union([z.string(), z.looseObject({ url: z.string(), title: z.string() })])),
    }),
  ),
});

/** npm ends with 1 when it has found something, so its output counts and not its exit code. Undefined when the registry was not to be asked. */
const advisories = (): Promise<string[] | undefined> =>
  new Promise((done) => {
    execFile('npm', ['audit', '--omit=dev', '--json'], { cwd: root }, (_, stdout) => {
      const { data } = audit.safeParse(JSON.parse(stdout || '{}'));
      const found = Object.entries(data?.vulnerabilities ?? {}).flatMap(([name, { severity, via }]) =>
        via
          .filter((each) => typeof each !== 'string')
          .filter(({ url }) => !(url in accepted.advisories))
          .map(({ url, title }) => `${name}: ${severity}, ${title} (${url})`),
      );
      done(data && [...new Set(found)]);
    });
  });

const secretProblems = (): string[] =>
  secretsInRepository(root).filter((place) => !(place.replace(/:\d+:/, ':') in accepted.secrets));

/** Prints what was found; returns the exit code that it stands for. */
const report = (what: string, problems: readonly string[] | undefined): 0 | 1 | 2 => {
  print(problems === undefined ? `! NOT DONE: ${what}` : `${problems.length === 0 ? '✓' : '✗'} ${what}`);
  for (const problem of problems ?? []) print(`    ${problem}`);
  if (problems === undefined) return 2;
  return problems.length === 0 ? 0 : 1;
};

runMain(async () => {
  if (process.argv.includes('--help')) return process.stdout.write(usage);
  const { text, parts } = await billOfMaterials();
  mkdirSync(join(root, '.local'), { recursive: true });
  writeFileSync(join(root, '.local/sbom.cdx.json'), text);
  const lines = parts.map(({ name, version, licence }) => `${name} ${version}: ${licence}\n`);
  writeFileSync(join(root, '.local/licences.txt'), lines.join(''));
  print(`✓ ${parts.length} packages: .local/sbom.cdx.json, .local/licences.txt`);
  const codes = [
    report('every licence is accepted', licenceProblems(parts)),
    report('no advisory that is not accepted (npm audit)', await advisories()),
    report('every install script has a reason', scriptProblems(allowedScripts(root), accepted.scripts)),
    report('no secret in the repository', secretProblems()),
  ];
  process.exitCode = codes.includes(1) ? 1 : Math.max(...codes);
  return undefined;
});
