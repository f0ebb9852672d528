import { serviceNames } from '#libs/contracts/topics.ts';
import { live } from './live-values.ts';
import { placedSlots } from './hash-slots.ts';
import { cpuMs, idleCores } from './measured-costs.ts';
import { presets } from './size-presets.ts';
import { coresRequested } from './requested-cores.ts';
import { processes, releasesFor, sizeFor } from './size-for.ts';
import type { Size } from './size-for.ts';
import { formulas } from './sizing-formulas.ts';
import {
  clusterSizes,
  connectionsOf,
  kafkaBytesOf,
  ledgerOf,
  primariesOf,
  rebuildSecOf,
  redisBytesOf,
} from './store-sizes.ts';

const grouped = (value: number): string => Math.ceil(value).toLocaleString('en');
const short = (value: number): string => (value < 10 ? value.toFixed(1) : grouped(value));
const gigabytes = (bytes: number): string => short(bytes / 1e9);

const scales = [...Object.values(presets), 10_000_000];
const presetOf = (pcs: number): string => Object.entries(presets).find(([, of]) => of === pcs)?.[0] ?? 'none';

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  row(head),
  `|${head.map(() => '---').join('|')}|`,
  ...rows.map(row),
];

const costs = (): string[] => {
  const cells = (of: Partial<Record<string, number>>) => processes.map((name) => String(of[name] ?? ''));
  return table(
    ['CPU ms of one', ...processes],
    [
      ...Object.entries(cpuMs).map(([operation, of]) => [operation, ...cells(of)]),
      ['cores of one that idles', ...cells(idleCores)],
    ],
  );
};

const found = (of: { primaries: number; busiest: number } | undefined): string =>
  of === undefined ? 'none is enough' : `${of.primaries}: ${of.busiest.toFixed(2)}`;

const processCells = (size: Size, name: string): string[] => {
  const { perSecond, cores, pods } = size;
  const ours = serviceNames.reduce((all, each) => all + cores[each] + pods[each] * idleCores[each], 0);
  const primaries = primariesOf(size);
  return [
    ...[name, presetOf(size.pcs), grouped(perSecond.heartbeat), grouped(perSecond.verify), short(ours)],
    ...[short(coresRequested(size)), Object.values(pods).join(' / '), String(size.partitions)],
    ...[String(size.inFlight), String(size.checksInFlight), String(size.retriesPerSecond)],
    ...[short(cores.kafka), short(cores.redis), found(primaries.placed), found(primaries.even)],
    short(cores.postgres),
  ];
};

const storeCells = (size: Size, name: string): string[] => {
  const [kafka, ledger, open] = [kafkaBytesOf(size), ledgerOf(size), connectionsOf(size)];
  const copies = live.kafka.replicationFactor;
  return [
    ...[name, gigabytes(redisBytesOf(size)), `${short(rebuildSecOf(size))} s`],
    ...[gigabytes(kafka.aDay), gigabytes(kafka.kept), gigabytes(kafka.kept * copies)],
    ...[`${short(ledger.rowsADay / 1e6)} M`, gigabytes(ledger.bytesADay)],
    ...[grouped(open.kafka), grouped(open.redis), grouped(open.postgres)],
  ];
};

/** A row for each number of PCs; where they are several releases it is of one of them. */
const rowsOf = (cells: (size: Size, name: string) => string[]): string[][] =>
  scales.map((pcs) => {
    const releases = releasesFor(pcs);
    const name = releases === 1 ? grouped(pcs) : `${grouped(pcs)} in ${releases}, each`;
    return cells(sizeFor(pcs / releases), name);
  });

const slots = (): string[] =>
  table(
    ['primaries', 'the last slot of each, so that each has as many shards'],
    clusterSizes.map((count) => [String(count), placedSlots(count).join(' ')]),
  );

/** The generated part of the section "Sizing" of the chart's README. */
export const sizingText = (): string =>
  [
    ...costs(),
    '',
    ...table(
      [
        ...['PCs', 'preset', 'heartbeats/s of each kind', 'verifies/s', 'cores of ours'],
        ...[
          'cores requested',
          'pods, in the order above',
          'partitions',
          'starts in flight, a pod',
          'checks',
          'retries/s, a pod',
        ],
        ...['Kafka cores', 'Redis cores', 'primaries, placed: busiest', 'evenly: busiest', 'Postgres cores'],
      ],
      rowsOf(processCells),
    ),
    '',
    ...table(
      [
        ...['PCs', 'Redis GB', 'rebuild', 'Kafka GB a day', 'kept, a copy'],
        ...[`kept, ${live.kafka.replicationFactor} copies`, 'rows a day', 'Postgres GB a day'],
        ...['connections at most: a broker', 'a primary', 'Postgres'],
      ],
      rowsOf(storeCells),
    ),
    '',
    ...formulas(),
    '',
    ...slots(),
  ].join('\n');
