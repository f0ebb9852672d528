import { removeFolder } from '../../deploy/local/run-file.ts';
import type { Run } from '../../deploy/local/run.ts';

/** Stops what a run has started, and takes its folder away; harmless when it is called again. */
export const endRun = async (run: Pick<Run, 'stop' | 'dir'>): Promise<void> => {
  await run.stop();
  removeFolder(run.dir);
};
