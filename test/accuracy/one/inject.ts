import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '#libs/runtime/wait.ts';
import type { Stack } from '../../../deploy/local/stack.ts';
import type { Inject, Injections } from '../inject.ts';

/** A stack to break, and where it keeps its data. */
export interface Target {
  readonly stack: Stack;
  readonly dir: string;
}

const killService =
  ({ stack }: Target, service: string): Inject =>
  async () => {
    const before = stack.service(service).pid();
    stack.service(service).kill('SIGKILL');
    while (stack.service(service).pid() === before) await sleep(20);
    await stack.service(service).ready();
    return `SIGKILL of ${service}; ready again`;
  };

const killStore =
  (target: Target, name: 'kafka' | 'redis' | 'postgres', meanwhile: () => void = () => undefined): Inject =>
  async ({ forSec }) => {
    const store = target.stack[name];
    await store.kill();
    meanwhile();
    await sleep(forSec * 1000);
    await store.restart();
    return `SIGKILL of ${name}, away for ${forSec} s`;
  };

const freeze =
  ({ stack }: Target): Inject =>
  async ({ forSec }) => {
    stack.service('game-session').kill('SIGSTOP');
    await sleep(forSec * 1000);
    stack.service('game-session').kill('SIGCONT');
    return `SIGSTOP of game-session for ${forSec} s`;
  };

const emptied = ({ dir }: Target) =>
  rmSync(join(dir, 'redis', 'appendonlydir'), { recursive: true, force: true });

/** How each fault of one of everything is done. */
export const injectionsOfOne = (target: Target): Injections => ({
  'kill launcher-gateway': killService(target, 'launcher-gateway'),
  'kill ott': killService(target, 'ott'),
  'kill billing-adapter': killService(target, 'billing-adapter'),
  'kill game-session': killService(target, 'game-session'),
  'kill settlement': killService(target, 'settlement'),
  'freeze game-session': freeze(target),
  'empty Redis': killStore(target, 'redis', () => emptied(target)),
  'kill Redis': killStore(target, 'redis'),
  'kill Kafka': killStore(target, 'kafka'),
  'stop Kafka': killStore(target, 'kafka'),
  'kill Postgres': killStore(target, 'postgres'),
});
