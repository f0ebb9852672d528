import { runMain } from '#libs/runtime/run-main.ts';
import { testInside } from './inside.ts';
import { testOutside } from './outside.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** The test of the chart on a cluster: on that of KUBECONFIG, or on one that the program in GSB_CLUSTER brings up for it. */
runMain(async () => {
  const program = process.env['GSB_CLUSTER'] ?? '';
  process.exit(program === '' ? await testInside(print) : await testOutside(program, print));
});
