import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../charts/programs.ts';
import { namespace } from './programs.ts';

const all = ['--selector', 'app.kubernetes.io/name=gsb', '--prefix', '--timestamps', '--tail=-1'];
const looks = {
  'pods.txt': ['get', 'pods,deployments,hpa,pdb,jobs', '--output', 'wide'],
  'events.txt': ['get', 'events', '--sort-by=.lastTimestamp'],
  'pods.yaml': ['get', 'pods', '--output', 'yaml'],
  'services.log': ['logs', ...all, '--max-log-requests=20'],
};

/** Keeps what a person would look at first: the cluster is gone when the test reports. */
export const keepState = async (folder: string): Promise<void> => {
  for (const [file, look] of Object.entries(looks)) {
    const { stdout, stderr } = await run('kubectl', ['--namespace', namespace, ...look], {
      timeoutMs: 20_000,
    });
    writeFileSync(join(folder, file), stdout + stderr);
  }
};
