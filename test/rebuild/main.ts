import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { topics } from '#libs/contracts/topics.ts';
import { ensureTopics } from '#libs/kafka/admin/ensure-topics.ts';
import { connectKafka } from '#libs/kafka/connection.ts';
import { createLog } from '#libs/runtime/log.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { startKafka } from '../../deploy/local/kafka.ts';
import { onInterrupt } from '../../deploy/local/on-interrupt.ts';
import { podEnvironment, podFlags } from '../../deploy/local/pod-flags.ts';
import { startRedis } from '../../deploy/local/redis.ts';
import { createRun } from '../../deploy/local/run.ts';
import type { Run } from '../../deploy/local/run.ts';
import { withPartitions } from '#libs/kafka/admin/with-partitions.ts';
import type { ReplicaReport } from './replica-report.ts';
import { writeSessions } from './synthetic-log.ts';
import { endRun } from '../support/end-run.ts';

const count = z.coerce.number().pipe(z.int().min(1).max(5_000_000));
const schema = z.object({
  sessions: count.default(100_000),
  events: count.default(1),
  replicas: count.default(1),
  partitions: count.default(3),
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const optionsOf = (args: string[]) => {
  const text = { type: 'string' } as const;
  const options = { sessions: text, events: text, replicas: text, partitions: text };
  return schema.parse(parseArgs({ args, options }).values);
};

/** Rebuilds with one replica; resolves to what it measured. */
const rebuildWith = async (args: { brokers: string[]; redisUrl: string; instance: string }) => {
  const child = fork(join(import.meta.dirname, 'replica.ts'), [JSON.stringify(args)], {
    execArgv: [...process.execArgv, ...podFlags],
    env: { ...process.env, ...podEnvironment },
  });
  const [report] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${args.instance} ended with ${code}`))),
  ])) as [ReplicaReport];
  return { ...report, instance: args.instance };
};

const measure = async (run: Run, dir: string, options: z.output<typeof schema>): Promise<void> => {
  const [kafkaStore, redis] = await Promise.all([startKafka({ dir, run }), startRedis({ dir, run })]);
  const { brokers } = kafkaStore;
  await ensureTopics({ brokers, topics: withPartitions(topics, options.partitions) });
  const log = createLog({ service: 'rebuild', instance: 'rebuild', level: 'error' });
  print(`writing ${options.sessions} sessions with ${options.events} events each`);
  await writeSessions(connectKafka({ brokers, clientId: 'rebuild', log }), options);
  const replicas = Array.from({ length: options.replicas }, (_, at) => `replica-${at + 1}`);
  const reports = await Promise.all(
    replicas.map((instance) => rebuildWith({ brokers, redisUrl: redis.url, instance })),
  );
  for (const { instance, seconds, cpuSeconds, maxRssMb, longestPauseMs, warnings } of reports) {
    const figures = `${seconds.toFixed(1)} s, at most ${maxRssMb.toFixed(0)} MB, longest pause ${longestPauseMs.toFixed(0)} ms`;
    print(
      `${instance}: complete after ${figures}, ${cpuSeconds.toFixed(1)} s of CPU, ${warnings.length} warnings`,
    );
    warnings.slice(0, 3).forEach(print);
  }
};

/** How long the hot view of game-session takes to be rebuilt from a synthetic log, on real Kafka and Redis. */
runMain(async () => {
  const options = optionsOf(process.argv.slice(2));
  const dir = mkdtempSync(join(tmpdir(), 'gsb-rebuild-'));
  const run = createRun(dir);
  onInterrupt(() => endRun(run));
  try {
    await measure(run, dir, options);
  } finally {
    await endRun(run);
  }
});
