import { assumed, processes, sizeFor } from './size-for.ts';
import { cpuMs, idleCores, redisBytes, rowsOfASession } from './measured-costs.ts';
import { presets } from './size-presets.ts';

const grouped = (value: number): string => Math.ceil(value).toLocaleString('en');
const short = (value: number): string => (value < 10 ? value.toFixed(1) : grouped(value));
const gigabytes = (bytes: number): string => short(bytes / 1e9);

const scales = [...Object.values(presets), 10_000_000];
const presetOf = (pcs: number): string =>
  Object.entries(presets).find(([, of]) => of === pcs)?.[0] ?? 'as it says';

const tableRow = (pcs: number): string => {
  const { perSecond, cores, pods, ...size } = sizeFor(pcs);
  const { redis, kafka, postgres, ...ours } = cores;
  const all = Object.values(ours).reduce((sum, each) => sum + each, 0);
  const cells = [
    ...[grouped(pcs), presetOf(pcs), grouped(perSecond.heartbeat), grouped(perSecond.verify), short(all)],
    ...[Object.values(pods).join(' / '), String(size.partitions), short(kafka), short(redis)],
    ...[gigabytes(size.redisBytes), short(postgres), `${short(size.rowsADay / 1e6)} M`],
  ];
  return `| ${cells.join(' | ')} |`;
};

const costRow = ([operation, costs]: [string, Partial<Record<string, number>>]): string =>
  `| ${operation} | ${processes.map((name) => costs[name] ?? '').join(' | ')} |`;

const header = (cells: readonly string[]): string[] => [
  `| ${cells.join(' | ')} |`,
  `|${cells.map(() => '---').join('|')}|`,
];

/** The section "Sizing" of the chart's README. */
export const sizingText = (): string =>
  [
    ...header(['CPU ms of one', ...processes]),
    ...Object.entries(cpuMs).map(costRow),
    '',
    `cores of a process = Σ calls a second × their ms ÷ 1000 (and ${idleCores} for the whole stack when nobody plays) ·`,
    `pods = cores ÷ ${assumed.utilization}, ${assumed.fewestPods} at least, as a process uses one core at most · partitions: twice as many as the most pods of a service, in steps ·`,
    `Redis: ${grouped(redisBytes.liveSession)} bytes a live session, ${grouped(redisBytes.endedSession)} one that ended within the hour, ${grouped(redisBytes.usedToken)} a token of the last day, all × ${assumed.redisHeadroom}, and a third of that with \`redis.packed\` ·`,
    `rows: ${rowsOfASession} a session, of ${assumed.busyHoursADay} such hours a day.`,
    '',
    ...header([
      ...['PCs', 'preset', 'heartbeats/s of each kind', 'verifies/s', 'cores of ours'],
      ...['pods, in the order above', 'partitions', 'Kafka cores', 'Redis cores', 'Redis GB'],
      ...['Postgres cores', 'rows a day'],
    ]),
    ...scales.map(tableRow),
  ].join('\n');
