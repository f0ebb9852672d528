import { mkdtempSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { removeFolder } from '../../../deploy/local/run-file.ts';
import type { Run } from '../../../deploy/local/run.ts';
import { run } from '../../charts/programs.ts';
import { namespace } from '../programs.ts';
import type { ContextWithoutPlayers } from '../cluster-context.ts';
import { must } from '../step-report.ts';

const root = resolve(import.meta.dirname, '../../..');
const document = readFileSync(join(root, 'charts/gsb/INSTALL.md'), 'utf8');

/** The commands below a heading, as they would be typed, for the namespace of the test. */
const commandsBelow = (heading: string): string => {
  const [, below = ''] = document.split(`## ${heading}\n`);
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(below) ?? [];
  return block.replaceAll(/--namespace gsb(-live-catalogue)?(?![\w-])/g, `--namespace ${namespace}`);
};

/** Types the commands in a folder of the run with all that is at the top of the project, by links: what they write, plain keys among it, goes with the run. */
const typed = async ({ dir }: Run, commands: string): Promise<string> => {
  const cwd = mkdtempSync(join(dir, 'checkout-'));
  try {
    for (const name of readdirSync(root)) symlinkSync(join(root, name), join(cwd, name));
    const options = { cwd, timeoutMs: 400_000 };
    const { code, stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', commands], options);
    must(code === 0, `${commands}\n${(stdout + stderr).slice(-1_500)}`);
    return stdout;
  } finally {
    removeFolder(cwd);
  }
};

/** What somebody who has only INSTALL.md types after the installation, as it stands there. */
export const followTheDocument = async (context: ContextWithoutPlayers): Promise<void> => {
  const { report } = context;
  await report.step('INSTALL.md, Games, cafes and operators: each command as it stands', async () => {
    const listed = await typed(context.run, commandsBelow('Games, cafes and operators'));
    must(listed.includes('nebula') && listed.includes('jisoo'), listed.slice(-500));
    return undefined;
  });
  await report.step('INSTALL.md, The whole journey as helm test: each command as it stands', async () => {
    const played = await typed(context.run, commandsBelow('The whole journey as helm test'));
    must(played.includes('The journey is complete'), played.slice(-1_500));
    return undefined;
  });
};
