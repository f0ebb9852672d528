import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { limitsOf } from '#libs/runtime/settings.ts';
import { stackFile } from '#simulators/stack-file.ts';
import { explain } from './explain.ts';
import { playFirstJourney } from './first-journey.ts';
import { createRun } from './run.ts';
import type { Run } from './run.ts';
import { startObserving } from './observe/observe.ts';
import { takeOver } from './run-file.ts';
import { stackSettings } from './settings.ts';
import type { StackOptions } from './start-services.ts';
import { startStack } from './stack.ts';
import { followNotices } from './follow-notices.ts';
import { printTo } from './terminal.ts';
import { addresses } from './welcome-text.ts';
import { readStartOptions } from './start-options.ts';
import type { StartOptions } from './start-options.ts';

const dir = resolve(import.meta.dirname, '../../.local');
/** One Ctrl-C arrives twice: from the terminal and from the program that started this one. */
const sameKeyMs = 500;
/** Services that are still starting have nothing to finish. */
const startingTimeoutMs = 1_500;

const print = printTo(process.stdout);

const alreadyUp = (pid: number): never => {
  print(`gsb is already up (pid ${pid}).`);
  try {
    print(addresses(stackFile.parse(JSON.parse(readFileSync(join(dir, 'stack.json'), 'utf8')))));
  } catch {
    print('It is still starting; its addresses will be in .local/stack.json.');
  }
  process.exit(1);
};

/** The stack, and what watches it if that was asked for. */
const bringUp = async (
  run: Run,
  {
    topology,
    redis,
    observe,
    settings,
    named,
  }: Omit<StartOptions, 'once'> & Required<Pick<StackOptions, 'settings' | 'named'>>,
) => {
  const watching = observe ? await startObserving({ run, print, env: process.env }) : undefined;
  const options = {
    dir,
    print,
    ports: 'usual',
    named,
    settings: { ...settings, ...watching?.settings },
    run,
  } as const;
  const stack = await (topology === 'many'
    ? startStack({ ...options, topology, redis })
    : startStack(options));
  await watching?.watch(stack.facts());
  followNotices(join(dir, 'logs'), print);
  return { facts: stack.facts(), watched: watching?.addresses() ?? '' };
};

const main = async (): Promise<void> => {
  const { once, observe, ...stack } = readStartOptions(process.argv.slice(2));
  const { config, settings, named } = stackSettings(process.env);
  const running = await takeOver(dir, print);
  if (running !== undefined) alreadyUp(running);
  const run = createRun(dir, print);
  let code = 130;
  let isUp = false;
  const leave = async (exitCode: number) => {
    await run.stop(isUp ? undefined : startingTimeoutMs);
    process.exit(exitCode);
  };
  let firstAt: number | undefined;
  const onSignal = () => {
    const now = performance.now();
    if (firstAt !== undefined && now - firstAt < sameKeyMs) return;
    // A second key waits for nobody: what still runs is killed as this process exits.
    if (firstAt !== undefined) process.exit(130);
    firstAt = now;
    print('\nstopping …');
    void leave(once ? 130 : code);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal);
  try {
    const { facts, watched } = await bringUp(run, { ...stack, observe, settings, named });
    isUp = true;
    const ok = await playFirstJourney({ run, facts, limits: limitsOf(config), print, once });
    if (run.stopping()) return;
    if (!once && observe) print(watched);
    code = ok ? 0 : 1;
    if (once) return await leave(code);
  } catch (error) {
    if (run.stopping()) return;
    print(explain(error));
    await leave(1);
  }
};

main().catch((error: unknown) => {
  print(explain(error));
  process.exit(1);
});
