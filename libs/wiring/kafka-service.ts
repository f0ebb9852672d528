import type { z } from 'zod';
import type { Clock } from '#libs/kernel/clock.ts';
import { connectKafka } from '#libs/kafka/connection.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { createConsumer } from '#libs/kafka/consumer/consumer.ts';
import type { ConsumerOptions } from '#libs/kafka/consumer/consumer.ts';
import { createPublisher } from '#libs/kafka/producer/publisher.ts';
import type { Publisher } from '#libs/kafka/producer/publisher.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { startProcess } from '#libs/runtime/process.ts';
import type { ProcessContext } from '#libs/runtime/process.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import type { Component } from '#libs/runtime/service.ts';
import { kafkaAccess } from '#libs/runtime/kafka-settings.ts';
import type { kafkaSettings } from '#libs/runtime/kafka-settings.ts';
import type { opsSettings } from '#libs/runtime/settings.ts';
import { logEvents } from './log-events.ts';

type KafkaServiceConfig = z.output<z.ZodObject<typeof opsSettings & typeof kafkaSettings>>;

interface KafkaServiceOptions<C extends KafkaServiceConfig> {
  /** The service's name: its Kafka client, the source of its events, its consumer group. */
  readonly name: string;
  readonly schema: z.ZodType<C>;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

/** What a service is given to build its components with. */
export interface ServiceContext<C> extends ProcessContext {
  readonly config: C;
  readonly clock: Clock;
  readonly kafka: KafkaConnection;
  readonly publisher: Publisher & Component;
  /** A consumer in the service's group, or another one; messages that it cannot handle become dead letters. */
  readonly consumer: (
    options: Pick<ConsumerOptions, 'handlers' | 'onAssigned' | 'atOnce'> & { group?: string },
  ) => Component;
}

/** The program of a service on Kafka: reads its configuration and starts the components that `connect` returns, in their order. */
export const runKafkaService = <C extends KafkaServiceConfig>(
  { name, schema, env, clock }: KafkaServiceOptions<C>,
  connect: (context: ServiceContext<C>) => readonly Component[],
): void =>
  runMain(async () => {
    const config = readConfig(schema, env);
    await startProcess(name, config, (context) => {
      const { log, metrics } = context;
      const kafka = connectKafka({ ...kafkaAccess(config), clientId: name, log });
      const publisher = {
        ...logEvents(createPublisher({ kafka, source: name, metrics, log, clock }), log),
        flushes: true,
      };
      const common = { kafka, group: name, deadLetters: publisher, metrics, log, clock };
      const consumer: ServiceContext<C>['consumer'] = (options) => createConsumer({ ...common, ...options });
      return connect({ ...context, config, clock, kafka, publisher, consumer });
    });
  });
