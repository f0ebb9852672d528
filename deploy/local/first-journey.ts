import type { Limits } from '#libs/kernel/limits.ts';
import { playJourney } from '#simulators/journey/journey.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { explain } from './explain.ts';
import type { Print } from './progress.ts';
import type { Run } from './run.ts';
import { addresses, breaking, curls } from './welcome-text.ts';

interface FirstJourney {
  readonly run: Pick<Run, 'stopping'>;
  readonly facts: StackFacts;
  readonly limits: Limits;
  readonly print: Print;
  /** Whether the stack stops after it. */
  readonly once: boolean;
}

/**
 * Plays the journey, then prints where everything answers; the stack is up whatever became of the journey. Resolves to whether all was
 * right. Nothing is printed any more from the moment that the run stops: what fails then is no news.
 */
export const playFirstJourney = async ({
  run,
  facts,
  limits,
  print: say,
  once,
}: FirstJourney): Promise<boolean> => {
  const print: Print = (line) => run.stopping() || say(line);
  const journey = await playJourney({ stack: facts, limits, print, logs: 'npm run logs --' }).catch(
    (error: unknown) => print(`\nThe journey failed: ${explain(error)}`),
  );
  const ok = journey?.ok === true;
  if (once) return ok;
  if (!ok) print('\n! The stack stays up, so that you can look into it.');
  print(
    `${addresses(facts)}\n${breaking(facts)}${curls(facts, journey?.gameSessionId)}\n\nCtrl-C stops everything.`,
  );
  return ok;
};
