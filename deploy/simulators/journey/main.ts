import { z } from 'zod';
import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { limitSettings, limitsOf } from '#libs/runtime/settings.ts';
import { readStack } from '../stack-file.ts';
import { playJourney } from './journey.ts';

/** Plays the journey against a running stack: `node deploy/simulators/journey/main.ts [stack.json]`, with the stack's limits in the environment. */
runMain(async () => {
  const stack = await readStack(process.argv[2] ?? '.local/stack.json');
  const limits = limitsOf(readConfig(z.object(limitSettings), process.env));
  const { ok } = await playJourney({
    stack,
    limits,
    print: (line) => void process.stdout.write(`${line}\n`),
  });
  process.exit(ok ? 0 : 1);
});
