import { dirname } from 'node:path';
import { removeFolder } from '../../deploy/local/run-file.ts';
import type { Run } from '../../deploy/local/run.ts';

/**
 * Stops what a run has started, or kills it where nobody looks at what was in flight or at what the stores have, and takes its folder away; harmless
 * when it is called again.
 */
export const endRun = async (
  run: Pick<Run, 'stop' | 'kill' | 'dir'>,
  how: 'stop' | 'kill' = 'stop',
): Promise<void> => {
  await run[how]();
  removeFolder(run.dir);
};

/** As `endRun` the run of the whole suite, and the folder that all stacks of the suite are in. */
export const endSuite = async (run: Parameters<typeof endRun>[0]): Promise<void> => {
  await endRun(run);
  removeFolder(dirname(run.dir));
};
