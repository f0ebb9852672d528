import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runMain } from '#libs/runtime/run-main.ts';
import { costsOf, withCosts } from './costs-of-bench.ts';
import { cpuMs } from './measured-costs.ts';

const file = join(import.meta.dirname, 'measured-costs.ts');
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Writes the CPU costs of the operations that JSON lines of the bench, on stdin, have measured into measured-costs.ts; the others stay. */
runMain(async () => {
  const measured = costsOf(await text(process.stdin));
  writeFileSync(file, withCosts(readFileSync(file, 'utf8'), { ...cpuMs, ...measured }));
  print(`measured-costs.ts has new costs of: ${Object.keys(measured).join(', ')}`);
  print('Next: npm run test:charts -- --update, which writes the README and the presets.');
});
