import { z } from 'zod';
import { kafkaAccess, kafkaSettings, withKafka } from '#libs/runtime/kafka-settings.ts';
import { configProblems } from '../../../support/config-problems.ts';

const schema = withKafka(z.object(kafkaSettings));
const at = { KAFKA_BROKERS: 'kafka:9093' };
const login = { KAFKA_SASL_USERNAME: 'ott', KAFKA_SASL_PASSWORD: 's3cret' };
const certificate = { KAFKA_TLS_CERTIFICATE: '-----BEGIN', KAFKA_TLS_KEY: 's3cret' };
const tokens = { KAFKA_OAUTH_TOKEN_URL: 'https://tokens.test/token' };

test.each([
  ['nobody signs in', {}, []],
  ['a password', { ...login, KAFKA_SASL_MECHANISM: 'scram-sha-512' }, []],
  ['tokens', { ...login, ...tokens, KAFKA_SASL_MECHANISM: 'oauthbearer' }, []],
  ['a certificate', { ...certificate, KAFKA_TLS: 'true' }, []],
  [
    'a password without a user',
    { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_PASSWORD: 's3cret' },
    ['KAFKA_SASL_USERNAME: is not set, and scram-sha-512 needs it'],
  ],
  [
    'a user whom no mechanism takes',
    login,
    [
      'KAFKA_SASL_PASSWORD: is only for a KAFKA_SASL_MECHANISM',
      'KAFKA_SASL_USERNAME: is only for a KAFKA_SASL_MECHANISM',
    ],
  ],
  [
    'tokens of nowhere',
    { ...login, KAFKA_SASL_MECHANISM: 'oauthbearer' },
    ['KAFKA_OAUTH_TOKEN_URL: is not set, and oauthbearer needs it'],
  ],
  [
    'tokens of an address that is none',
    { ...login, KAFKA_SASL_MECHANISM: 'oauthbearer', KAFKA_OAUTH_TOKEN_URL: 'tokens.test' },
    ['KAFKA_OAUTH_TOKEN_URL: must be an http:// or https:// URL'],
  ],
  [
    'a token endpoint beside a password',
    { ...login, ...tokens, KAFKA_SASL_MECHANISM: 'scram-sha-512' },
    ['KAFKA_OAUTH_TOKEN_URL: is only for KAFKA_SASL_MECHANISM=oauthbearer'],
  ],
  [
    'a certificate without TLS and key',
    { KAFKA_TLS_CERTIFICATE: '-----BEGIN' },
    [
      'KAFKA_TLS: is not set, and a client certificate needs it',
      'KAFKA_TLS_KEY: is not set, and a client certificate needs it',
    ],
  ],
])('how to sign in to Kafka, %s', (_, env, problems) => {
  expect(configProblems(schema, { ...at, ...env })).toEqual(problems);
});

test('each way to sign in is what libs/kafka takes', () => {
  const access = (env: Record<string, string>) => kafkaAccess(schema.parse({ ...at, ...env }));

  expect(access({ ...login, KAFKA_SASL_MECHANISM: 'scram-sha-512' })).toMatchObject({
    login: { username: 'ott', password: 's3cret' },
  });
  expect(access({ ...login, ...tokens, KAFKA_SASL_MECHANISM: 'oauthbearer' })).toMatchObject({
    login: { username: 'ott', tokenUrl: 'https://tokens.test/token', scope: '' },
  });
  expect(access({ ...certificate, KAFKA_TLS: 'true' })).toMatchObject({
    tls: true,
    certificate: { cert: '-----BEGIN', key: 's3cret' },
  });
});
