import { rmSync } from 'node:fs';
import type { Run } from '../../deploy/local/run.ts';

/** Stops what the set-up started, and takes its folder away. */
export default async function tearDown(): Promise<void> {
  const { gsbRun } = globalThis as unknown as { gsbRun: Run };
  await gsbRun.stop();
  rmSync(gsbRun.dir, { recursive: true, force: true });
}
