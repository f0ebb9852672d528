import { rmSync } from 'node:fs';
import { execute } from '../../../deploy/local/cache.ts';
import { clusterId } from '../../../deploy/local/kafka-files.ts';
import type { PreparedBroker } from '../../../deploy/local/kafka.ts';

/** Formats a broker's log folder anew, empty but for users of SCRAM-SHA-512 and their passwords. */
export const formatWithUsers = async (
  { files, log, properties: file }: PreparedBroker,
  users: ReadonlyMap<string, string>,
): Promise<void> => {
  rmSync(log, { recursive: true, force: true });
  const scram = [...users].flatMap(([name, password]) => [
    '--add-scram',
    `SCRAM-SHA-512=[name=${name},password=${password}]`,
  ]);
  const tool = ['-cp', files.classPath, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', file];
  await execute(files.java, ['-Xmx128m', '-XX:TieredStopAtLevel=1', ...tool, ...scram]);
};
