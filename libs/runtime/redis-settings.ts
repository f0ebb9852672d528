import { z } from 'zod';
import { ConfigError } from './config.ts';
import { hostPortList, url } from './settings.ts';

/**
 * Where Redis is. `single`: one server, by REDIS_URL. `sentinel`: a primary that Sentinels know by its name. `cluster`: a Redis Cluster, some
 * of whose servers are named. With the latter two TLS is a setting of its own, because no URL names the server. The user and the password
 * may hold any characters as settings of their own, in a URL only escaped ones. REDIS_PACKED: whether records are written packed, which no version before D-57 may see.
 */
export const redisSettings = {
  REDIS_MODE: z.enum(['single', 'sentinel', 'cluster']).default('single'),
  REDIS_URL: url(/^rediss?$/, 'must be a redis:// or rediss:// URL').optional(),
  REDIS_SENTINELS: hostPortList.optional(),
  REDIS_MASTER: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be letters, digits, dots and dashes')
    .optional(),
  REDIS_NODES: hostPortList.optional(),
  REDIS_USERNAME: z.string().optional(),
  REDIS_PASSWORD: z.string().optional(),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
  REDIS_TLS: z.stringbool().default(false),
  REDIS_PACKED: z.stringbool().default(false),
};

type Settings = typeof redisSettings;
/** The part of a configuration that `redisSettings` describes. */
export type RedisConfig = z.output<z.ZodObject<Settings>>;
type Name = keyof Settings;

/** Which settings each mode needs, and which of the other mode's it refuses, with the reason. */
const modes: Record<
  RedisConfig['REDIS_MODE'],
  { needs: readonly Name[]; refuses: readonly Name[]; reason: string }
> = {
  single: {
    needs: ['REDIS_URL'],
    refuses: ['REDIS_SENTINELS', 'REDIS_MASTER', 'REDIS_SENTINEL_PASSWORD', 'REDIS_NODES', 'REDIS_TLS'],
    reason: 'is only for REDIS_MODE=sentinel or cluster; one server is described by REDIS_URL alone',
  },
  sentinel: {
    needs: ['REDIS_SENTINELS', 'REDIS_MASTER'],
    refuses: ['REDIS_URL', 'REDIS_NODES'],
    reason: 'does not go with REDIS_MODE=sentinel, where the Sentinels say which server it is',
  },
  cluster: {
    needs: ['REDIS_NODES'],
    refuses: ['REDIS_URL', 'REDIS_SENTINELS', 'REDIS_MASTER', 'REDIS_SENTINEL_PASSWORD'],
    reason: 'does not go with REDIS_MODE=cluster, where REDIS_NODES names servers that know the others',
  },
};

/** A setting that does not fit the mode, and why. */
const misfits = (config: Partial<RedisConfig>): { name: Name; message: string }[] => {
  const mode = config.REDIS_MODE ?? 'single';
  const { needs, refuses, reason } = modes[mode];
  const isSet = (name: Name) => config[name] !== undefined && config[name] !== false;
  const missing = mode === 'single' ? 'is not set' : `is not set, and REDIS_MODE=${mode} needs it`;
  return [
    ...needs.filter((name) => !isSet(name)).map((name) => ({ name, message: missing })),
    ...refuses.filter(isSet).map((name) => ({ name, message: reason })),
  ];
};

const refuseMisfits = (config: unknown, ctx: z.RefinementCtx): void => {
  const wrong = new Set(ctx.issues.map(({ path }) => path?.[0]));
  if (wrong.has('REDIS_MODE')) return;
  for (const { name, message } of misfits(config as Partial<RedisConfig>)) {
    if (!wrong.has(name)) ctx.addIssue({ code: 'custom', path: [name], message });
  }
};

/** Adds a check to a schema with `redisSettings`: settings that do not fit the mode are reported together with all other problems. */
export const withRedis = <S extends z.ZodObject<Settings & z.ZodRawShape>>(schema: S): S =>
  schema.check(z.superRefine(refuseMisfits, { when: () => true }));

interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** How to sign in where no URL says it. */
interface Login {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: boolean;
}

/** Where Redis is, in the form that libs/redis takes. */
export type RedisAccess =
  | { readonly mode: 'single'; readonly url: string }
  | (Login & {
      readonly mode: 'sentinel';
      readonly sentinels: readonly HostPort[];
      readonly master: string;
      readonly sentinelPassword: string | undefined;
    })
  | (Login & { readonly mode: 'cluster'; readonly nodes: readonly HostPort[] });

const needed = <T>(name: Name, value: T | undefined): T => {
  if (value === undefined) throw new ConfigError(`${name}: is not set`);
  return value;
};

/** The URL with a user and a password, each escaped as a whole; what is undefined stays as the URL has it. */
const withLogin = (text: string, { REDIS_USERNAME: username, REDIS_PASSWORD: password }: RedisConfig) => {
  if (username === undefined && password === undefined) return text;
  const found = new URL(text);
  if (username !== undefined) found.username = encodeURIComponent(username);
  if (password !== undefined) found.password = encodeURIComponent(password);
  return found.href;
};

const hostPort = (text: string): HostPort => {
  const [host = '', port] = text.split(':');
  return { host, port: Number(port) };
};

/** The Redis settings in the form that libs/redis takes. Throws ConfigError where the schema lacks `withRedis` and a setting is missing. */
export const redisAccess = (config: RedisConfig): RedisAccess => {
  if (config.REDIS_MODE === 'single')
    return { mode: 'single', url: withLogin(needed('REDIS_URL', config.REDIS_URL), config) };
  const { REDIS_USERNAME: username, REDIS_PASSWORD: password, REDIS_TLS: tls } = config;
  const login = { username, password, tls };
  if (config.REDIS_MODE === 'cluster')
    return { mode: 'cluster', nodes: needed('REDIS_NODES', config.REDIS_NODES).map(hostPort), ...login };
  return {
    mode: 'sentinel',
    sentinels: needed('REDIS_SENTINELS', config.REDIS_SENTINELS).map(hostPort),
    master: needed('REDIS_MASTER', config.REDIS_MASTER),
    sentinelPassword: config.REDIS_SENTINEL_PASSWORD,
    ...login,
  };
};
