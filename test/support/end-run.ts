import { dirname } from 'node:path';
import { removeFolder } from '../../deploy/local/run-file.ts';
import type { Run } from '../../deploy/local/run.ts';

/** Stops what a run has started, and takes its folder away; harmless when it is called again. */
export const endRun = async (run: Pick<Run, 'stop' | 'dir'>): Promise<void> => {
  await run.stop();
  removeFolder(run.dir);
};

/** As `endRun`, where nobody looks at what was in flight, or at what the stores have: it waits for no process to drain. */
export const killRun = async (run: Pick<Run, 'kill' | 'dir'>): Promise<void> => {
  await run.kill();
  removeFolder(run.dir);
};

/** As `endRun` the run of the whole suite, and the folder that all stacks of the suite are in. */
export const endSuite = async (run: Pick<Run, 'stop' | 'dir'>): Promise<void> => {
  await endRun(run);
  removeFolder(dirname(run.dir));
};
