import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as run from '../../deploy/local/run.ts';
import type * as settings from '../../deploy/local/settings.ts';
import type * as stack from '../../deploy/local/stack.ts';

/** Brings up the stack of a checkout, with the settings of this process's environment, until its parent is gone. */
const [, , folder = '', dir = ''] = process.argv;
const from = async <M>(file: string): Promise<M> =>
  (await import(pathToFileURL(join(folder, 'deploy/local', file)).href)) as M;
const [{ createRun }, { stackSettings }, { startStack }] = await Promise.all([
  from<typeof run>('run.ts'),
  from<typeof settings>('settings.ts'),
  from<typeof stack>('stack.ts'),
]);
mkdirSync(dir, { recursive: true });
const running = createRun(dir);
const leave = (): void => void running.stop().then(() => process.exit(0));
process
  .once('disconnect', leave)
  .once('SIGTERM', leave)
  .on('SIGINT', () => undefined);
const print = (line: string): void => void process.stderr.write(`  ${line}\n`);
try {
  const options = {
    dir,
    run: running,
    print,
    ports: 'free',
    settings: stackSettings(process.env).settings,
  } as const;
  await startStack(options);
  process.send?.('up');
} catch (error) {
  print(error instanceof Error ? error.message : String(error));
  await running.stop();
  process.exit(1);
}
