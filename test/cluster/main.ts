import { parseArgs } from 'node:util';
import { runMain } from '#libs/runtime/run-main.ts';
import { parts, testInside } from './inside.ts';
import { testOutside } from './outside.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);
// A terminal that was closed takes no line any more; what was begun is ended all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

/** Which parts are asked for. Throws for one that is none. */
const extentAsked = (args: string[]) => {
  const options = {
    long: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  } as const;
  const { values } = parseArgs({ args, options });
  const only = values.only.split(',').filter((part) => part !== '');
  const unknown = only.filter((part) => !parts.includes(part));
  if (unknown.length > 0) throw new Error(`--only ${unknown.join(',')} is none of ${parts.join(', ')}`);
  return { long: values.long, only };
};

/**
 * The test of the chart on a cluster: on that of KUBECONFIG, or on one that the program in GSB_CLUSTER brings up for it. `--long` plays what CI has no
 * time for, too; `--only PART,PART` these parts alone.
 */
runMain(async () => {
  const program = process.env['GSB_CLUSTER'] ?? '';
  const args = process.argv.slice(2);
  const extent = extentAsked(args);
  process.exit(program === '' ? await testInside(print, extent) : await testOutside(program, print, args));
});
