import { z } from 'zod';
import { idleCores } from './measured-costs.ts';
import type { Operation, Process } from './measured-costs.ts';

/** What is read of a line of `npm run bench`. */
const schema = z.object({
  phase: z.string(),
  achieved_per_s: z.number().positive(),
  launcher_beats_per_s: z.number(),
  cpu_ms_per_op: z.record(z.string(), z.number()),
  seconds: z.number().positive(),
  /** What was done for its requests after the phase, and how long that took. */
  after_s: z.number().default(0),
  after_cpu_ms_per_op: z.record(z.string(), z.number()).default({}),
});
type Line = z.output<typeof schema>;
type Costs = Partial<Record<Process, number>>;
type Measured = Partial<Record<Operation, Costs>>;

const operations: Readonly<Record<string, Operation>> = {
  ...{ heartbeat: 'heartbeat', start: 'start', ott: 'token', verify: 'verify', end: 'end' },
};
/** Less cannot be told from what a process does when it idles. */
const leastMs = 0.01;
/** With fewer a second of launchers their cost is no more than noise. */
const leastBeats = 20;
const processes = Object.keys(idleCores) as Process[];

const rounded = (ms: number): number => Number(ms.toPrecision(2));

/** What a process did for each operation, while they came and after them, without what it does when it idles. */
const costOf = (line: Line, process: Process): number => {
  const idleMs = idleCores[process] * 1000 * (line.seconds + line.after_s);
  const ms = (line.cpu_ms_per_op[process] ?? 0) + (line.after_cpu_ms_per_op[process] ?? 0);
  return ms - idleMs / (line.achieved_per_s * line.seconds);
};

const costsOfLine = (line: Line, but?: Process): Costs =>
  Object.fromEntries(
    processes
      .filter((process) => process !== but)
      .map((process) => [process, rounded(costOf(line, process))] as const)
      .filter(([, ms]) => ms >= leastMs),
  );

/**
 * Launchers send their heartbeats beside those of sessions, and launcher-gateway does nothing else meanwhile. Redis is taken to have as much to
 * do for one as for a session's.
 */
const costsOfBeats = (line: Line): Measured => {
  const { achieved_per_s: rate, launcher_beats_per_s: beats } = line;
  const heartbeat = costsOfLine(line, 'launcher-gateway');
  if (beats < leastBeats) return { heartbeat };
  const gateway = rounded((costOf(line, 'launcher-gateway') * rate) / beats);
  return {
    heartbeat,
    'launcher heartbeat': {
      'launcher-gateway': gateway,
      ...(heartbeat.redis !== undefined && { redis: heartbeat.redis }),
    },
  };
};

/**
 * The costs that JSON lines of the bench tell: the fastest line of each phase counts. Throws where a line is none of the bench, and where none tells
 * a cost.
 */
export const costsOf = (jsonLines: string): Measured => {
  const lines = jsonLines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => schema.parse(JSON.parse(line)))
    .sort((one, other) => one.achieved_per_s - other.achieved_per_s);
  const fastest = new Map(lines.map((line) => [operations[line.phase], line]));
  const measured: Measured = {};
  for (const [operation, line] of fastest) {
    if (operation === 'heartbeat') Object.assign(measured, costsOfBeats(line));
    else if (operation !== undefined) measured[operation] = costsOfLine(line);
  }
  if (Object.keys(measured).length === 0) throw new Error('no line of the bench is about an operation');
  return measured;
};

const nameOf = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`);
const block = (operation: string, costs: Costs): string[] => [
  `  ${nameOf(operation)}: {`,
  ...Object.entries(costs).map(([process, ms]) => `    ${nameOf(process)}: ${ms},`),
  '  },',
];

/** The text of measured-costs.ts with other CPU costs. */
export const withCosts = (source: string, costs: Readonly<Record<string, Costs>>): string => {
  const table = Object.entries(costs).flatMap(([operation, of]) => block(operation, of));
  const replaced = source.replace(
    /(export const cpuMs[^=]*=) \{\n[^]*?\n\};/,
    (_, head: string) => `${head} {\n${table.join('\n')}\n};`,
  );
  if (!replaced.includes(table.join('\n'))) throw new Error('measured-costs.ts has no table cpuMs');
  return replaced;
};
