import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Ask, GeneratorOptions, Said } from './generator.ts';
import type { PhaseOrder, PhaseResult } from './run-phase.ts';

/** A young generation that holds what a second brings: a pause of the generator would be counted as one of the servers'. */
const flags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32'];

/** The load generator as a process of its own. */
export interface GeneratorProcess {
  readonly pid: number;
  phase(order: PhaseOrder): Promise<PhaseResult>;
  /** What a phase needs is there, and what it does not has gone, before it is asked for. */
  prepare(order: PhaseOrder): Promise<void>;
  seat(sessions: number): Promise<void>;
  /** Everybody ends what they play, and their launchers. */
  leave(): Promise<void>;
  /** Requests a second that the server at `url` can answer at most. */
  ceiling(url: string, seconds: number): Promise<number>;
  /** Called when something begins to be measured, and when it ends. */
  onWindow(listener: (isOpen: boolean) => void): void;
  stop(): void;
}

type Done = Extract<Said, { say: 'done' }>;

const createConversation = (child: ChildProcess, print: (line: string) => void) => {
  let listener = (_isOpen: boolean): void => undefined;
  let waiting: PromiseWithResolvers<Done> | undefined = Promise.withResolvers<Done>();
  child.on('message', (said: Said) => {
    if (said.say === 'progress') print(`  … ${said.text}`);
    if (said.say === 'window') listener(said.isOpen);
    if (said.say === 'done') waiting?.resolve(said);
    if (said.say === 'failed') waiting?.reject(new Error(said.why));
  });
  child.once('exit', (code) => waiting?.reject(new Error(`the generator ended (${code})`)));
  const answered = (): Promise<Done> => (waiting ??= Promise.withResolvers<Done>()).promise;
  return {
    answered,
    ask: (asked: Ask): Promise<Done> => {
      waiting = Promise.withResolvers<Done>();
      child.send(asked);
      return answered();
    },
    onWindow: (next: (isOpen: boolean) => void) => void (listener = next),
  };
};

/** Starts a generator; resolves when it is ready. */
export const startGenerator = async (
  options: GeneratorOptions,
  print: (line: string) => void,
): Promise<GeneratorProcess> => {
  const child = fork(join(import.meta.dirname, 'generator.ts'), [JSON.stringify(options)], {
    execArgv: flags,
  });
  const { answered, ask, onWindow } = createConversation(child, print);
  await answered();
  return {
    pid: child.pid ?? -1,
    phase: async (order) => {
      const { result } = await ask({ ask: 'phase', order });
      if (result === undefined) throw new Error('the generator gave no result');
      return result;
    },
    prepare: async (order) => {
      await ask({ ask: 'prepare', order });
    },
    seat: async (sessions) => {
      await ask({ ask: 'seat', sessions });
    },
    leave: async () => {
      await ask({ ask: 'leave' });
    },
    ceiling: async (url, seconds) => (await ask({ ask: 'ceiling', url, seconds })).perSec ?? 0,
    onWindow,
    stop: () => child.disconnect(),
  };
};
