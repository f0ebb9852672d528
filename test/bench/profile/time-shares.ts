import type { CpuProfile } from './cpu-profile.ts';

type Node = CpuProfile['nodes'][number];

/** What a package's time counts as. */
const ofPackage: readonly (readonly [what: string, packages: RegExp])[] = [
  ['Kafka client', /^kafkajs$/],
  ['Redis client', /^(ioredis|redis-|denque|cluster-key-slot|standard-as-callback)/],
  ['Postgres client', /^pg/],
  ['partner client', /^(undici|cockatiel)$/],
  ['HTTP server', /^(koa|@koa\/|raw-body|on-finished|ee-first|http-|accepts|delegates|content-type|type-is)/],
  ['traces, metrics, logs', /^(@opentelemetry\/|prom-client|tdigest|pino|sonic-boom|thread-stream)/],
  ['schemas', /^zod$/],
];
const ofNode: readonly (readonly [what: string, module: RegExp])[] = [
  ['HTTP server', /^node:_http/],
  ['sockets', /^node:(net|internal\/(stream_base_commons|streams\/))/],
];
const writes = /^(write|writev|shutdown)|^write(Buffer|Utf8String|Latin1String)$/;
const packageIn = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/;

const found = (table: typeof ofPackage, text: string): string | undefined =>
  table.find(([, pattern]) => pattern.test(text))?.[0];

/** What a frame counts as by itself; undefined: as its caller, where it is native code that somebody called. */
const ownShare = ({ functionName, url }: Node['callFrame']): string | undefined => {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName.startsWith('(')) return 'the runtime itself';
  if (url === '') return writes.test(functionName) ? 'sockets' : undefined;
  if (url.startsWith('node:')) return found(ofNode, url) ?? 'the rest of Node';
  const [, name] = packageIn.exec(url) ?? [];
  return name === undefined ? "the product's own code" : (found(ofPackage, name) ?? 'other packages');
};

/** The shares of the time that a process worked, the largest first. Time when nothing ran is left out. */
export const timeShares = ({ nodes, samples, timeDeltas }: CpuProfile): [what: string, share: number][] => {
  const parents = new Map(nodes.flatMap((node) => node.children.map((child) => [child, node.id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const known = new Map<number, string>();
  const shareOf = (id: number): string => {
    const node = byId.get(id);
    const parent = parents.get(id);
    const what =
      known.get(id) ??
      (node && ownShare(node.callFrame)) ??
      (parent === undefined ? 'the runtime itself' : shareOf(parent));
    known.set(id, what);
    return what;
  };
  const micros = new Map<string, number>();
  let all = 0;
  samples.forEach((id, index) => {
    if (byId.get(id)?.callFrame.functionName === '(idle)') return;
    const took = Math.max(0, timeDeltas[index] ?? 0);
    micros.set(shareOf(id), (micros.get(shareOf(id)) ?? 0) + took);
    all += took;
  });
  return [...micros]
    .map(([what, took]): [string, number] => [what, took / all])
    .toSorted(([, a], [, b]) => b - a);
};
