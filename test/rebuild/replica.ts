import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { connectKafka } from '#libs/kafka/connection.ts';
import { createHotView } from '#libs/records/hot-view.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { redisSessions, sessionsPrefix } from '../../services/game-session/adapters/redis-sessions.ts';
import { sessionsFromLog } from '../../services/game-session/adapters/sessions-from-log.ts';
import { rebuildHotView } from '../../services/game-session/usecases/rebuild-hot-view.ts';
import { eventually } from '../support/eventually.ts';
import { replicaArgs } from './replica-report.ts';
import type { ReplicaReport } from './replica-report.ts';

/** One replica of game-session that does nothing but rebuild its view; sends its report to its parent. */
const { brokers, redisUrl, instance } = replicaArgs.parse(JSON.parse(process.argv[2] ?? '{}'));
const warnings: string[] = [];
const log = createLog({ service: 'rebuild', instance, level: 'warn' }, (line) => warnings.push(line));
const kafka = connectKafka({ brokers, clientId: instance, log });
const redis = new Redis(redisUrl, { lazyConnect: true, enableAutoPipelining: false });
const delay = monitorEventLoopDelay({ resolution: 10 });
const sessions = redisSessions(redis, specLimits, { packs: true });
const view = createHotView({
  ...{ redis, instance, log, prefix: sessionsPrefix, live: 'expiries', amnestyMs: 1_000 },
  metrics: createMetrics('rebuild'),
  rebuild: rebuildHotView({ sessions, recentLog: sessionsFromLog(kafka, specLimits), limits: specLimits }),
});

await redis.connect();
const began = performance.now();
delay.enable();
void view.start(() => undefined);
await eventually(
  () => redis.hget(`${sessionsPrefix}:{0}:watch`, 'view'),
  (server) => server !== null,
  600_000,
);
const report: ReplicaReport = {
  seconds: (performance.now() - began) / 1000,
  cpuSeconds: process.cpuUsage().user / 1e6,
  maxRssMb: process.resourceUsage().maxRSS / 1024,
  longestPauseMs: delay.max / 1e6,
  warnings: warnings.filter((line) => line.includes('kafkajs')),
};
process.send?.(report);
process.exit(0);
