import type { Run } from '../../deploy/local/run.ts';
import { endSuite } from './end-run.ts';

/** Stops what the set-up started, and takes its folders away. */
export default async function tearDown(): Promise<void> {
  const { gsbRun } = globalThis as unknown as { gsbRun: Run };
  await endSuite(gsbRun);
}
