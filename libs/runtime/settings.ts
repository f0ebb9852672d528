import { hostname } from 'node:os';
import { z } from 'zod';
import { contradictions, specLimits } from '#libs/kernel/limits.ts';
import type { Limits } from '#libs/kernel/limits.ts';

const maxLimitSec = 30 * 86_400;

/** A whole number between two bounds, read from text. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

const seconds = (defaultSec: number) => wholeNumber(1, maxLimitSec).default(defaultSec);
const port = (defaultPort: number) => wholeNumber(0, 65_535).default(defaultPort);
/** A URL of these protocols. */
export const url = (protocol: RegExp, reason: string) => z.url({ protocol, error: reason });

/** A comma-separated list with at least one item. */
export const commaList = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )
  .pipe(z.array(z.string()).min(1, 'must name at least one'));

const hostAndPort = /^[^\s:]+:\d{1,5}$/;
/** An address, `host:port`. */
export const hostPort = z.string().regex(hostAndPort, 'must be host:port');
/** Addresses, `host:port` separated by commas. */
export const hostPortList = commaList.pipe(
  z.array(z.string().regex(hostAndPort, 'must be host:port, separated by commas')),
);

/** The address of Postgres. */
export const postgresSettings = { DATABASE_URL: url(/^postgres(ql)?$/, 'must be a postgres:// URL') };

const maxDrainSec = 600;

/** Settings of every service: ops port (0: any free one), log level, the name of this replica, where spans are sent and what share of them, and how long a stop may take. */
export const opsSettings = {
  BIND_HOST: z.string().default('0.0.0.0'),
  OPS_PORT: port(9090),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  INSTANCE_ID: z
    .string()
    .regex(/^[\w.-]{1,128}$/, 'must be letters, digits, dots and dashes')
    .default(() => `${hostname()}-${process.pid}`),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?$/, 'must be an http:// or https:// URL').optional(),
  DRAIN_INFLIGHT_SEC: wholeNumber(1, maxDrainSec).default(20),
  DRAIN_FLUSH_SEC: wholeNumber(0, maxDrainSec).default(5),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1, 'must be from 0 to 1').default(1),
};

/** The time that a stop may take, in the form that libs/runtime takes. */
export const drainOf = (config: z.output<z.ZodObject<typeof opsSettings>>) => ({
  inFlightMs: config.DRAIN_INFLIGHT_SEC * 1000,
  flushMs: config.DRAIN_FLUSH_SEC * 1000,
});

const maxKeepAliveSec = 3_600;

/** The port of the HTTP API (0: any free one), how long an idle connection is kept (longer than the load balancer keeps it), and how many there may be. */
export const httpSettings = {
  HTTP_PORT: port(8080),
  HTTP_KEEP_ALIVE_SEC: wholeNumber(1, maxKeepAliveSec).default(75),
  HTTP_MAX_CONNECTIONS: wholeNumber(1, 1_000_000).default(10_000),
};

/** The HTTP settings in the form that libs/http takes. */
export const httpAccess = (config: z.output<z.ZodObject<typeof opsSettings & typeof httpSettings>>) => ({
  host: config.BIND_HOST,
  port: config.HTTP_PORT,
  keepAliveMs: config.HTTP_KEEP_ALIVE_SEC * 1000,
  maxConnections: config.HTTP_MAX_CONNECTIONS,
});

/** Every time limit of the product, in seconds; the defaults are those of spec 8. */
export const limitSettings = {
  OTT_TTL_SEC: seconds(specLimits.ottTtlSec),
  HEARTBEAT_INTERVAL_SEC: seconds(specLimits.heartbeatIntervalSec),
  SESSION_EXPIRY_SEC: seconds(specLimits.sessionExpirySec),
  SESSION_EXPIRY_SLACK_SEC: wholeNumber(0, maxLimitSec).default(specLimits.sessionExpirySlackSec),
  LAUNCHER_SILENCE_SEC: seconds(specLimits.launcherSilenceSec),
  LAUNCHER_SESSION_SEC: seconds(specLimits.launcherSessionSec),
  GRACE_SEC: seconds(specLimits.graceSec),
  ENDED_MEMORY_SEC: seconds(specLimits.endedMemorySec),
  OTT_MEMORY_SEC: seconds(specLimits.ottMemorySec),
};

/** How many seconds of unconfirmed play a cafe may have, all its PCs together; the default is a hundred PCs for an hour (D-26). */
export const unbilledSettings = { UNBILLED_CAP_SEC: wholeNumber(0, 1_000_000_000).default(360_000) };

/** For which answers of the partner heartbeats wait, and how long. */
export const heartbeatSettings = {
  /** How long a heartbeat waits for its renewal, in ms. */
  HEARTBEAT_BILLING_WAIT_MS: wholeNumber(1, 10_000).default(800),
  /** Of so many heartbeats a second each waits; of more those whose cafe's balance is known to last do not (D-62). */
  HEARTBEATS_AWAITED_PER_SEC: wholeNumber(0, 100_000).default(250),
};

const limitNames = {
  ottTtlSec: 'OTT_TTL_SEC',
  heartbeatIntervalSec: 'HEARTBEAT_INTERVAL_SEC',
  sessionExpirySec: 'SESSION_EXPIRY_SEC',
  sessionExpirySlackSec: 'SESSION_EXPIRY_SLACK_SEC',
  launcherSilenceSec: 'LAUNCHER_SILENCE_SEC',
  launcherSessionSec: 'LAUNCHER_SESSION_SEC',
  graceSec: 'GRACE_SEC',
  endedMemorySec: 'ENDED_MEMORY_SEC',
  ottMemorySec: 'OTT_MEMORY_SEC',
} as const satisfies Record<keyof Limits, keyof typeof limitSettings>;

/** The limits that are numbers, under their names in libs/kernel. */
const knownLimits = (config: unknown): Partial<Limits> => {
  const values = config as Readonly<Record<string, unknown>>;
  const known = Object.entries(limitNames).filter(([, name]) => typeof values[name] === 'number');
  return Object.fromEntries(known.map(([limit, name]) => [limit, values[name]]));
};

/** The limits under their names in libs/kernel. */
export const limitsOf = (config: Readonly<Record<keyof typeof limitSettings, number>>): Limits =>
  knownLimits(config) as Limits;

const refuseContradictions = (config: unknown, ctx: z.RefinementCtx): void => {
  for (const { limit, reason } of contradictions(knownLimits(config))) {
    ctx.addIssue({ code: 'custom', path: [limitNames[limit]], message: reason });
  }
};

/** Adds a check to a schema with `limitSettings`: limits that contradict each other are reported together with all other problems. */
export const withLimits = <S extends z.ZodObject<typeof limitSettings & z.ZodRawShape>>(schema: S): S =>
  schema.check(z.superRefine(refuseContradictions, { when: () => true }));
