import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { execute } from '../../deploy/local/cache.ts';
import { startKafka } from '../../deploy/local/kafka.ts';
import type { PreparedBroker } from '../../deploy/local/kafka.ts';
import { freePort } from '../../deploy/local/free-port.ts';
import type { StoreOptions } from '../../deploy/local/store-process.ts';
import { formatWithUsers } from '../support/secured/scram-users.ts';

const listeners = ({ host, port, controllerPort }: PreparedBroker['address'], users: number): string =>
  `listeners=PLAINTEXT://${host}:${port},USERS://${host}:${users},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://${host}:${port},USERS://${host}:${users}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,USERS:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
listener.name.users.sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.users.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
`;

/** Gives the user a password that nobody knows. Were it removed, this Kafka would know none of the others either when it starts again. */
const lockOutUser = async ({ files, address: { host, port } }: PreparedBroker, user: string) => {
  const credentials = `SCRAM-SHA-512=[password=${randomBytes(12).toString('hex')}]`;
  const whom = ['--entity-type', 'users', '--entity-name', user, '--add-config', credentials];
  const tool = ['-cp', files.classPath, 'kafka.admin.ConfigCommand', '--bootstrap-server', `${host}:${port}`];
  const args = ['-Xmx128m', '-XX:TieredStopAtLevel=1', ...tool, '--alter', ...whom];
  await execute(files.java, args, { timeout: 60_000 });
};

/** A broker with two users who may do anything: a release signs in as one of them, and as the other when the password changes. */
export const startKafkaWithUsers = async (options: StoreOptions & { readonly host: string }) => {
  const users = new Map(['gsb', 'gsb-b'].map((name) => [name, randomBytes(12).toString('hex')]));
  const port = await freePort(0);
  let broker: PreparedBroker | undefined;
  const store = await startKafka(options, async (prepared) => {
    broker = prepared;
    appendFileSync(prepared.properties, listeners(prepared.address, port));
    await formatWithUsers(prepared, users);
    return [];
  });
  return {
    brokers: store.brokers,
    /** Where users sign in. */
    secured: [`${options.host}:${port}`],
    users,
    stop: () => store.stop(),
    restart: () => store.restart(),
    /** Nobody signs in as the user any more. It starts again: who has signed in stays so for as long as the connection does. */
    lockOut: async (user: string) => {
      if (broker !== undefined) await lockOutUser(broker, user);
      users.delete(user);
      await store.stop();
      await store.restart();
    },
    /** Starts it again without all that it held but its users. */
    lose: async () => {
      await store.stop();
      if (broker !== undefined) await formatWithUsers(broker, users);
      await store.restart();
    },
  };
};
