import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '#libs/runtime/config.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { limitsOf } from '#libs/runtime/settings.ts';
import { playJourney } from '#simulators/journey/journey.ts';
import { stackFile } from '#simulators/stack-file.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { Missing } from './progress.ts';
import { createRun } from './run.ts';
import type { Run } from './run.ts';
import { startObserving } from './observe/observe.ts';
import { takeOver } from './run-file.ts';
import { stackSettings } from './settings.ts';
import type { StackOptions } from './start-services.ts';
import { startStack } from './stack.ts';
import { followNotices } from './follow-notices.ts';
import { addresses, breaking, curls } from './welcome-text.ts';
import { readStartOptions } from './start-options.ts';
import type { StartOptions } from './start-options.ts';

const dir = resolve(import.meta.dirname, '../../.local');
/** One Ctrl-C arrives twice: from the terminal and from the program that started this one. */
const sameKeyMs = 500;
/** Services that are still starting have nothing to finish. */
const startingTimeoutMs = 1_500;

const print = (line: string) => void process.stdout.write(`${line}\n`);

const alreadyUp = (pid: number): never => {
  print(`gsb is already up (pid ${pid}).`);
  try {
    print(addresses(stackFile.parse(JSON.parse(readFileSync(join(dir, 'stack.json'), 'utf8')))));
  } catch {
    print('It is still starting; its addresses will be in .local/stack.json.');
  }
  process.exit(1);
};

const explain = (error: unknown): string => {
  if (error instanceof ConfigError) return `The environment has these problems:\n${error.message}`;
  if (error instanceof Missing) return error.message;
  return error instanceof Error ? error.message : String(error);
};

/** Plays the journey, then prints where everything answers; the stack is up whatever became of the journey. Resolves to whether all was right. */
const play = async (facts: StackFacts, limits: Limits, once: boolean): Promise<boolean> => {
  const journey = await playJourney({ stack: facts, limits, print, logs: '.local/logs' }).catch(
    (error: unknown) => print(`\nThe journey failed: ${explain(error)}`),
  );
  const ok = journey?.ok === true;
  if (once) return ok;
  if (!ok) print('\n! The stack stays up, so that you can look into it.');
  print(
    `${addresses(facts)}\n${breaking(facts)}${curls(facts, journey?.gameSessionId)}\n\nCtrl-C stops everything.`,
  );
  return ok;
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
  const run = createRun(dir);
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
    if (firstAt !== undefined) {
      run.killAll();
      process.exit(130);
    }
    firstAt = now;
    print('\nstopping …');
    void leave(once ? 130 : code);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal);
  try {
    const { facts, watched } = await bringUp(run, { ...stack, observe, settings, named });
    isUp = true;
    const ok = await play(facts, limitsOf(config), once);
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
