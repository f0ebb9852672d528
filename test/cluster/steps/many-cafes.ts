import { join } from 'node:path';
import { run } from '../../charts/programs.ts';
import type { ContextWithoutPlayers } from '../cluster-context.ts';
import { must } from '../step-report.ts';

const program = join(import.meta.dirname, '../../load/many-cafes/main.ts');

/** The API server lists the launcher keys of five thousand cafes, and each change of them is known in time. */
export const listManyCafes = ({ report }: ContextWithoutPlayers): Promise<boolean> =>
  report.step(
    'the launcher keys of 5,000 cafes are listed, and one that comes or goes is known',
    async () => {
      const { code, stdout, stderr } = await run(process.execPath, [program, '5000'], { timeoutMs: 300_000 });
      must(code === 0, stdout + stderr);
      for (const line of stdout.trim().split('\n')) {
        const [what = '', figures = ''] = line.split(/: (.*)/);
        report.figure(`5,000 cafes: ${what}`, figures);
      }
      return undefined;
    },
  );
