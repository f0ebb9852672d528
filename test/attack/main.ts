import { setTimeout as sleep } from 'node:timers/promises';
import { generatorOf } from '../bench/run-bench.ts';
import { runProgram, usualStack } from '../bench/run-program.ts';
import { NoStack, takeStack } from '../bench/the-stack.ts';
import type { TheStack } from '../bench/the-stack.ts';
import { usageNow } from '../bench/usage.ts';
import { attacksOn } from './attacks.ts';
import type { Attack } from './attacks.ts';
import { readOptions } from './options.ts';
import type { Options } from './options.ts';
import { attackLine, calmLine, memoryLines, verdictOf } from './report.ts';
import type { AttackReport } from './report.ts';

const warmUpSec = 3;
/** What an attack leaves to be answered is over by then; the next one begins after that. */
const restMs = 2_500;
/** A session may beat each twelfth of its interval, 10 s (D-42): these do a little less often. */
const beatEverySec = 12.5;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const isLoopback = (url: string): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);

/** Runs one attack after the other while the players play; `cpuMs`: what the product has used until now. */
const attackAll = async (attacks: readonly Attack[], seconds: number, cpuMs: () => number) => {
  const began = performance.now();
  const nowSec = () => warmUpSec + (performance.now() - began) / 1_000;
  const used = async (forMs: number) => {
    const [before, from] = [cpuMs(), performance.now()];
    await sleep(forMs);
    return (cpuMs() - before) / (performance.now() - from);
  };
  const restMsPerMs = await used(seconds * 1_000);
  const reports: AttackReport[] = [];
  for (const { name, begin } of attacks) {
    const [fromSec, before, from] = [nowSec(), cpuMs(), performance.now()];
    const running = begin();
    await sleep(seconds * 1_000);
    const tally = await running.stop();
    const extraCpuMs = cpuMs() - before - restMsPerMs * (performance.now() - from);
    reports.push({ name, fromSec, untilSec: nowSec(), tally, extraCpuMs });
    await sleep(restMs);
  }
  return reports;
};

const attackStack = async (stack: TheStack, { players, rate, seconds }: Options): Promise<number> => {
  const { facts, processes } = stack;
  if (![facts.launcher.url, facts.game.url].every(isLoopback))
    throw new NoStack('This attacks a stack on this machine, and no other.');
  const attacks = attacksOn(facts, rate);
  const generator = await generatorOf(stack, { connections: 64 }, print);
  const cpuMs = () => Object.values(usageNow(processes)).reduce((sum, each) => sum + each.cpuMs, 0);
  const begun = Promise.withResolvers<undefined>();
  generator.onWindow((isOpen) => isOpen && begun.resolve(undefined));
  await generator.seat(players);
  // Each attack, what it leaves to be settled, and the pause after it; the first stretch is without any.
  const totalSec = seconds + attacks.length * (seconds + 2 * (restMs / 1_000));
  const playing = generator.phase({
    ...{ phase: 'heartbeat' as const, ratePerSec: players / beatEverySec },
    ...{ seconds: totalSec, warmUpSec, sessions: players },
  });
  await Promise.race([begun.promise, playing]);
  const before = usageNow(processes);
  print(
    `${players} players, each of whom beats every ${beatEverySec} s; ${attacks.length} attacks of ${seconds} s`,
  );
  const reports = await attackAll(attacks, seconds, cpuMs);
  const result = await playing;
  print(calmLine(warmUpSec, warmUpSec + seconds, result));
  for (const report of reports) print(attackLine(report, result));
  for (const line of memoryLines(before, usageNow(processes))) print(line);
  const { holds, line } = verdictOf(result);
  print(line);
  generator.stop();
  return holds ? 0 : 1;
};

await runProgram(async () => {
  const options = readOptions(process.argv.slice(2));
  const stack = takeStack(options.stack ?? usualStack);
  process.once('exit', stack.leave);
  return attackStack(stack, options);
});
