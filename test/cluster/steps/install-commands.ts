import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
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

const typed = async (commands: string): Promise<string> => {
  const { code, stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: root,
    timeoutMs: 400_000,
  });
  must(code === 0, `${commands}\n${(stdout + stderr).slice(-1_500)}`);
  return stdout;
};

/** What somebody who has only INSTALL.md types after the installation, as it stands there. */
export const followTheDocument = async ({ report }: ContextWithoutPlayers): Promise<void> => {
  await report.step('INSTALL.md, Games, cafes and operators: each command as it stands', async () => {
    try {
      const listed = await typed(commandsBelow('Games, cafes and operators'));
      must(listed.includes('nebula') && listed.includes('jisoo'), listed.slice(-500));
    } finally {
      for (const file of ['nebula.txt', 'jisoo.txt']) rmSync(join(root, file), { force: true });
    }
    return undefined;
  });
  await report.step('INSTALL.md, The whole journey as helm test: each command as it stands', async () => {
    const played = await typed(commandsBelow('The whole journey as helm test'));
    must(played.includes('The journey is complete'), played.slice(-1_500));
    return undefined;
  });
};
