import { findSchemathesis, fuzz, newSeed } from '../support/schemathesis.ts';
import type { Finding } from '../support/schemathesis.ts';
import { theStack } from '../support/suite-stack.ts';

const reasons: string[] = [];
const python = await findSchemathesis((line) => reasons.push(line));
if (python === undefined) process.stderr.write(`schemathesis is skipped: ${reasons.join('; ')}\n`);

const seed = newSeed();
const rounds = [
  'game servers',
  'launchers, signed',
  'launchers, not signed',
  'launchers, with a token',
  'launchers, leaving',
];

(python === undefined ? describe.skip : describe)(
  `schemathesis finds no server error and no undocumented answer (seed ${seed})`,
  () => {
    let findings: Finding[] = [];
    beforeAll(async () => {
      findings = await fuzz(python ?? '', await theStack(), seed);
    }, 230_000);

    test.each(rounds)('%s', (round) => {
      const found = findings.find(({ name }) => name === round);

      expect(found?.ok === true ? '' : found?.text).toBe('');
      expect(found?.text).toMatch(/\d+ generated/);
    });
  },
);
