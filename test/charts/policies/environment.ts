import { z } from 'zod';
import { ConfigError, readConfig } from '#libs/runtime/config.ts';
import { topicsSchema } from '../../../deploy/image/jobs/config.ts';
import { closeSchema, consoleSchema } from '../../../deploy/operations/config.ts';
import { journeySchema } from '../../../deploy/simulators/helm-test/config.ts';
import { schema as billingAdapter } from '../../../services/billing-adapter/config.ts';
import { schema as gameSession } from '../../../services/game-session/config.ts';
import { schema as launcherGateway } from '../../../services/launcher-gateway/config.ts';
import { schema as ott } from '../../../services/ott/config.ts';
import { migrateSchema, schema as settlement } from '../../../services/settlement/config.ts';
import { called, podsOf } from '../objects.ts';
import type { KubernetesObject, Pod } from '../objects.ts';

/** What each program of the images reads of its environment. */
const schemas: Readonly<Record<string, z.ZodObject>> = {
  'services/launcher-gateway/main.ts': launcherGateway,
  'services/ott/main.ts': ott,
  'services/game-session/main.ts': gameSession,
  'services/billing-adapter/main.ts': billingAdapter,
  'services/settlement/main.ts': settlement,
  'services/settlement/migrate.ts': migrateSchema,
  'deploy/operations/close-day.ts': closeSchema,
  'deploy/operations/console.ts': consoleSchema,
  'deploy/image/jobs/topics.ts': topicsSchema,
  'deploy/simulators/helm-test/main.ts': journeySchema,
};

/** Variables that are read by others than our schemas. */
const readByOthers: Readonly<Record<string, string>> = {
  NODE_EXTRA_CA_CERTS: 'Node',
  NODE_USE_SYSTEM_CA: 'Node',
  SSL_CERT_DIR: 'Node',
  NODE_OPTIONS: 'Node',
  PGUSER: 'pg',
  PGPASSWORD: 'pg',
  OTEL_RESOURCE_ATTRIBUTES: 'OpenTelemetry',
  UNBILLED_CAP_SEC: 'ott, of all that are given the limits',
  TRACE_LABEL: 'nobody: the case environment-variables',
  EXTRA: 'nobody: the case environment-variables',
};

const three = [1, 2, 3];
const journeyKeys = {
  games: three.map((n) => ({ game_id: `game-${n}`, name: 'A game', api_keys: ['a-key'] })),
  operator_key: 'an-operator-key',
  cafes: three.map((n) => ({ cafe_id: `cafe-${n}`, key_id: 'k1', secret: 'c2VjcmV0', ips: ['192.0.2.1'] })),
};

/** Stands for what a Secret holds; the keys of the journey are JSON. */
const secretOf = (name: string): string =>
  name === 'JOURNEY_KEYS' ? JSON.stringify(journeyKeys) : 'a-secret-of-some-length';

/** What the container sees: sources have values, and each $(NAME) stands for a variable before it. */
const seen = ({ env }: Pod['spec']['containers'][number]): Record<string, string> => {
  const values: Record<string, string> = {};
  for (const { name, value } of env)
    values[name] = (value ?? secretOf(name)).replaceAll(
      /\$\((\w+)\)/g,
      (text, other: string) => values[other] ?? text,
    );
  return values;
};

const refused = (schema: z.ZodObject, env: NodeJS.ProcessEnv): string[] => {
  try {
    readConfig(schema, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
};

const problemsOf = (container: Pod['spec']['containers'][number]): string[] => {
  const program = z.array(z.string()).safeParse(container['args']).data?.[0] ?? 'nothing';
  const schema = schemas[program];
  if (schema === undefined) return [`nobody knows what ${program} reads of its environment`];
  const env = seen(container);
  const texts = container.env.map(({ value }) => value ?? '');
  const unread = Object.keys(env).filter(
    (name) =>
      !(name in schema.shape) &&
      !(name in readByOthers) &&
      !texts.some((text) => text.includes(`$(${name})`)),
  );
  const open = Object.entries(env).filter(([, value]) => value.includes('$('));
  return [
    ...refused(schema, env),
    ...unread.map((name) => `${name} is set, and ${program} does not read it`),
    ...open.map(([name]) => `${name} names a variable that does not stand before it`),
  ];
};

/** Every program gets an environment that it takes, and none that it does not read. What a site puts beside it is the site's own. */
export const environmentPolicy = (objects: readonly KubernetesObject[]): string[] =>
  podsOf(objects)
    .filter(({ labels }) => labels['app.kubernetes.io/name'] === 'gsb')
    .flatMap(({ owner, spec }) =>
      spec.containers
        .slice(0, 1)
        .flatMap(problemsOf)
        .map((problem) => `${called(owner)}: ${problem}`),
    );
