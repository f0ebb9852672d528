import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import kafkajs from 'kafkajs';
import type { AclEntry, AclOperationTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import { z } from 'zod';
import { startKafka } from '../../../deploy/local/kafka.ts';
import type { PreparedBroker } from '../../../deploy/local/kafka.ts';
import { freePort } from '../../../deploy/local/free-port.ts';
import type { Run } from '../../../deploy/local/run.ts';
import type { Authority, Certificate } from './authority.ts';
import { formatWithUsers } from './scram-users.ts';
import { startTokenServer } from './token-server.ts';

/** How a service signs in to Kafka. */
export const logins = ['scram-sha-512', 'a client certificate', 'oauthbearer'] as const;
/** One of them. */
export type Login = (typeof logins)[number];

const { AclOperationTypes: operation, AclPermissionTypes, AclResourceTypes: type } = kafkajs;
const { ResourcePatternTypes: pattern } = kafkajs;
/** Clients sign in again on a connection that is as old, which each of them does before. */
const reauthenticateMs = 20_000;
/** What would mean something in a URL. */
const oddText = 'p@ss/w:rd?#%41&';

const names = z.array(z.string());
const rights = z.object({ writes: names, reads: names, groups: names, replays: z.boolean() });
const chartFile = resolve(import.meta.dirname, '../../../charts/gsb/files/topics.json');
/** What each service may do on the log, as the chart tells Strimzi and whoever makes users otherwise. */
const services = z
  .object({ services: z.record(z.string(), rights) })
  .parse(JSON.parse(readFileSync(chartFile, 'utf8'))).services;

const allowed = (
  service: string,
  { writes, reads, groups, replays }: z.output<typeof rights>,
): AclEntry[] => {
  const allow = (
    [resourceType, resourceName, resourcePatternType]: readonly [
      AclResourceTypes,
      string,
      ResourcePatternTypes,
    ],
    operations: readonly AclOperationTypes[],
  ) =>
    operations.map((each) => ({
      ...{ principal: `User:${service}`, host: '*', permissionType: AclPermissionTypes.ALLOW },
      ...{ resourceType, resourceName, resourcePatternType, operation: each },
    }));
  const { WRITE, READ, DESCRIBE, DELETE } = operation;
  return [
    ...writes.flatMap((name) => allow([type.TOPIC, name, pattern.LITERAL], [WRITE, DESCRIBE])),
    ...reads.flatMap((name) => allow([type.TOPIC, name, pattern.LITERAL], [READ, DESCRIBE])),
    ...groups.flatMap((name) => allow([type.GROUP, name, pattern.LITERAL], [READ, DESCRIBE])),
    ...(replays ? allow([type.GROUP, 'reread-', pattern.PREFIXED], [READ, DESCRIBE, DELETE]) : []),
  ];
};

const allow = async (broker: string): Promise<void> => {
  const admin = new kafkajs.Kafka({ brokers: [broker], logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  const acl = Object.entries(services).flatMap(([service, may]) => allowed(service, may));
  await admin.createAcls({ acl }).finally(() => admin.disconnect());
};

interface Listeners {
  readonly controllerPort: number;
  readonly ports: Readonly<Record<Login | 'plain', number>>;
  readonly keystore: string;
  readonly caFile: string;
  readonly tokens: { readonly issuer: string; readonly audience: string; readonly jwksFile: string };
}

/** A listener for each way to sign in, by TLS, and one without for whoever sets the broker up. */
const properties = ({ ports, controllerPort, keystore, caFile, tokens }: Listeners): string => {
  const own = { PLAINTEXT: ports.plain, SCRAM: ports['scram-sha-512'], OAUTH: ports.oauthbearer };
  const all = { ...own, MTLS: ports['a client certificate'] };
  const at = (host: string) => Object.entries(all).map(([name, port]) => `${name}://${host}:${port}`);
  const login = 'org.apache.kafka.common.security';
  return `listeners=${at('127.0.0.1').join(',')},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=${at('localhost').join(',')}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SCRAM:SASL_SSL,OAUTH:SASL_SSL,MTLS:SSL,CONTROLLER:PLAINTEXT
ssl.keystore.type=PEM
ssl.keystore.location=${keystore}
ssl.truststore.type=PEM
ssl.truststore.location=${caFile}
listener.name.mtls.ssl.client.auth=required
ssl.principal.mapping.rules=RULE:^CN=(.*)$/$1/
listener.name.scram.sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.scram.scram-sha-512.sasl.jaas.config=${login}.scram.ScramLoginModule required;
listener.name.oauth.sasl.enabled.mechanisms=OAUTHBEARER
listener.name.oauth.oauthbearer.sasl.jaas.config=${login}.oauthbearer.OAuthBearerLoginModule required;
listener.name.oauth.oauthbearer.sasl.server.callback.handler.class=${login}.oauthbearer.OAuthBearerValidatorCallbackHandler
listener.name.oauth.oauthbearer.sasl.oauthbearer.jwks.endpoint.url=file://${tokens.jwksFile}
listener.name.oauth.oauthbearer.sasl.oauthbearer.expected.audience=${tokens.audience}
listener.name.oauth.oauthbearer.sasl.oauthbearer.expected.issuer=${tokens.issuer}
listener.name.oauth.oauthbearer.connections.max.reauth.ms=${reauthenticateMs}
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
allow.everyone.if.no.acl.found=false
`;
};

const newPorts = async (): Promise<Record<Login, number>> => ({
  'scram-sha-512': await freePort(0),
  'a client certificate': await freePort(0),
  oauthbearer: await freePort(0),
});

/**
 * A broker as live has it: by TLS alone, with a user for each service that may do what the chart's list says and no more, who signs in by a
 * password, a certificate or a token.
 */
export const startSecuredKafka = async (run: Run, authority: Authority, server: Certificate) => {
  const file = (name: string) => join(run.dir, name);
  const users = new Map(
    Object.keys(services).map((name) => [name, `${oddText}${randomBytes(8).toString('hex')}`]),
  );
  const tokenServer = await startTokenServer(users, file('jwks.json'));
  writeFileSync(file('kafka-keystore.pem'), server.key + server.cert);
  const ports = await newPorts();
  const secure = async (broker: PreparedBroker) => {
    const listeners = {
      ...{ ports: { ...ports, plain: broker.address.port }, controllerPort: broker.address.controllerPort },
      ...{ keystore: file('kafka-keystore.pem'), caFile: authority.caFile },
      tokens: { ...tokenServer, jwksFile: file('jwks.json') },
    };
    appendFileSync(broker.properties, properties(listeners));
    await formatWithUsers(broker, users);
    return [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=file://${file('jwks.json')}`];
  };
  const store = await startKafka({ dir: run.dir, run }, secure);
  await allow(store.brokers[0] ?? '');
  const certificates = new Map<string, Certificate>();
  for (const service of users.keys()) certificates.set(service, await authority.issue(service));
  const passwordOf = (service: string) => users.get(service) ?? '';
  /** How a service signs in, as its settings. */
  const settingsOf = (login: Login, service: string): Record<string, string> => {
    const at = { KAFKA_BROKERS: `localhost:${ports[login]}`, KAFKA_TLS: 'true' };
    if (login === 'a client certificate') {
      const { cert = '', key = '' } = certificates.get(service) ?? {};
      return { ...at, KAFKA_TLS_CERTIFICATE: cert, KAFKA_TLS_KEY: key };
    }
    const sasl = { KAFKA_SASL_MECHANISM: login, KAFKA_SASL_USERNAME: service };
    const oauth = login === 'oauthbearer' && { KAFKA_OAUTH_TOKEN_URL: tokenServer.url };
    return { ...at, ...sasl, KAFKA_SASL_PASSWORD: passwordOf(service), ...oauth };
  };
  return { brokers: store.brokers, tokenServer, settingsOf };
};
