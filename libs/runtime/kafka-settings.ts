import { z } from 'zod';
import { hostPortList, url } from './settings.ts';

const text = z.string().default('');

/**
 * The bootstrap brokers of Kafka, `host:port` separated by commas, how to sign in, and whether events are written in bundles (D-39). With
 * oauthbearer the user and the password are the id and the secret of an OAuth client. A certificate and its key are PEM.
 */
export const kafkaSettings = {
  KAFKA_BROKERS: hostPortList,
  KAFKA_TLS: z.stringbool().default(false),
  KAFKA_TLS_CERTIFICATE: text,
  KAFKA_TLS_KEY: text,
  KAFKA_SASL_MECHANISM: z.enum(['none', 'scram-sha-512', 'oauthbearer']).default('none'),
  KAFKA_SASL_USERNAME: text,
  KAFKA_SASL_PASSWORD: text,
  KAFKA_OAUTH_TOKEN_URL: url(/^https?$/, 'must be an http:// or https:// URL').optional(),
  KAFKA_OAUTH_SCOPE: text,
  KAFKA_BUNDLES: z.stringbool().default(true),
};

type Settings = typeof kafkaSettings;
type KafkaConfig = z.output<z.ZodObject<Settings>>;
type Name = keyof Settings;

const isSet = (config: Partial<KafkaConfig>, name: Name): boolean => Boolean(config[name]);

/** A setting that lacks another one, or that nothing reads, and why. */
const misfits = (config: Partial<KafkaConfig>): { name: Name; message: string }[] => {
  const mechanism = config.KAFKA_SASL_MECHANISM ?? 'none';
  const needed = (names: readonly Name[], why: string) =>
    names
      .filter((name) => !isSet(config, name))
      .map((name) => ({ name, message: `is not set, and ${why} needs it` }));
  const idle = (names: readonly Name[], why: string) =>
    names.filter((name) => isSet(config, name)).map((name) => ({ name, message: `is only for ${why}` }));
  const login = ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const;
  const certificate = ['KAFKA_TLS_CERTIFICATE', 'KAFKA_TLS_KEY'] as const;
  const hasCertificate = certificate.some((name) => isSet(config, name));
  return [
    ...(mechanism === 'none' ? idle(login, 'a KAFKA_SASL_MECHANISM') : needed(login, mechanism)),
    ...(mechanism === 'oauthbearer'
      ? needed(['KAFKA_OAUTH_TOKEN_URL'], mechanism)
      : idle(['KAFKA_OAUTH_TOKEN_URL', 'KAFKA_OAUTH_SCOPE'], 'KAFKA_SASL_MECHANISM=oauthbearer')),
    ...(hasCertificate ? needed([...certificate, 'KAFKA_TLS'], 'a client certificate') : []),
  ];
};

const refuseMisfits = (config: unknown, ctx: z.RefinementCtx): void => {
  const wrong = new Set(ctx.issues.map(({ path }) => path?.[0]));
  for (const { name, message } of misfits(config as Partial<KafkaConfig>)) {
    if (!wrong.has(name)) ctx.addIssue({ code: 'custom', path: [name], message });
  }
};

/** Adds a check to a schema with `kafkaSettings`: settings that do not go together are reported together with all other problems. */
export const withKafka = <S extends z.ZodObject<Settings & z.ZodRawShape>>(schema: S): S =>
  schema.check(z.superRefine(refuseMisfits, { when: () => true }));

const loginOf = (config: KafkaConfig) => {
  const { KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = config;
  const { KAFKA_OAUTH_TOKEN_URL: tokenUrl, KAFKA_OAUTH_SCOPE: scope } = config;
  if (config.KAFKA_SASL_MECHANISM === 'none') return {};
  const oauth = tokenUrl !== undefined && { tokenUrl, scope };
  return { login: { username, password, ...oauth } };
};

/** The Kafka settings in the form that libs/kafka takes. */
export const kafkaAccess = (config: KafkaConfig) => ({
  brokers: config.KAFKA_BROKERS,
  tls: config.KAFKA_TLS,
  bundles: config.KAFKA_BUNDLES,
  ...(config.KAFKA_TLS_CERTIFICATE !== '' && {
    certificate: { cert: config.KAFKA_TLS_CERTIFICATE, key: config.KAFKA_TLS_KEY },
  }),
  ...loginOf(config),
});
