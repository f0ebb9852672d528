import { setTimeout as pause } from 'node:timers/promises';
import { connectKafka } from '#libs/kafka/connection.ts';
import { republish } from '#libs/kafka/replay/republish.ts';
import { createLog } from '#libs/runtime/log.ts';
import type { Stack } from '../../../deploy/local/stack.ts';
import { inPostgres } from '../in-postgres.ts';
import { beat, beatTogether } from '../seat-players.ts';
import { askSettlement } from '../settlement.ts';
import { gameIdOf, gameServerOf, newOtt, newPlayer } from '../suite-stack.ts';
import { patiently } from '../eventually.ts';
import type { Broken, Fault } from './fault.ts';

const apartMs = 200;

/** An event that nobody can read. */
export const poisonedLog = ({ stack }: Broken): Fault => ({
  what: 'an event cannot be read',
  alerts: ['GsbDeadLetters'],
  begin: async () => {
    const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);
    const kafka = connectKafka({ brokers: stack.facts().kafka.brokers, clientId: 'test', log });
    const value = Buffer.from('{"this is": "poison');
    await republish(kafka, [{ topic: 'ott-requests.v1', key: 'poison', value, headers: {} }]);
  },
});

/** A session of this stack's limits expires after seven seconds. */
const expiryMs = 7_000;

/** Nobody plays any more, all at once: the sweeper waits for one expiry window and more than a heartbeat before it believes that. */
export const silence: Fault = {
  what: 'heartbeats of all players stop at once',
  alerts: ['GsbHeartbeatDeficit', 'GsbSweeperPaused', 'GsbSilentEnds'],
  showsAfterMs: 2 * expiryMs,
};

/** Players whose sessions have expired go on as if nothing had been. */
export const lateHeartbeats = ({ players }: Broken): Fault => ({
  what: 'players whose sessions have expired play on',
  alerts: ['GsbLateHeartbeats'],
  begin: () => Promise.all(players.map(beat)),
});

/** Four questions that no entry answers. */
const askTheLedger = async (stack: Stack): Promise<void> => {
  const ask = () => askSettlement(stack.facts(), 'sessions/gs_00000000-0000-4000-8000-000000000000');
  await Promise.all([ask(), ask(), ask(), ask()]);
  await pause(apartMs);
};

/** The database of the ledger is gone, and play that ends waits for it. */
export const noPostgres = ({ stack }: Broken): Fault => ({
  what: 'Postgres is killed',
  alerts: ['GsbPostgresFailing', 'GsbEventsStuck'],
  // An end is in hand for five seconds before anybody wonders.
  showsAfterMs: 6_000,
  begin: async () => {
    const { server, id } = await patiently(() => newPlayer(stack.facts()));
    await stack.postgres.kill();
    await server.end(id);
  },
  again: () => askTheLedger(stack),
  heal: () => stack.postgres.restart(),
});

/** A role of settlement's loses a right of its own: Postgres is there, and lets its statements not pass. */
export const deniedByPostgres = ({ stack }: Broken): Fault => {
  const asOwner = (statement: string) => inPostgres(stack.postgres.url, statement);
  return {
    what: 'a right is taken from a role of Postgres',
    alerts: ['GsbPostgresDenies'],
    begin: () => asOwner('revoke select on entries from gsb_reader'),
    again: () => askTheLedger(stack),
    heal: () => asOwner('grant select on entries to gsb_reader'),
  };
};

/** The log is gone, and with it a service, which starts again when the log is back: without it no service becomes ready. */
export const noBroker = ({ stack }: Broken): Fault[] => {
  const facts = stack.facts();
  let pc: Awaited<ReturnType<typeof newOtt>>['pc'] | undefined;
  let ott = '';
  const brokerBack = Promise.withResolvers<undefined>();
  return [
    {
      what: 'the broker is killed',
      alerts: ['GsbPublishFailing', 'GsbConsumerStuck', 'GsbVerifyAvailability', 'GsbOttAvailability'],
      showsAfterMs: 5_000,
      begin: async () => {
        ({ pc, ott } = await patiently(() => newOtt(facts)));
        await stack.kafka.kill();
      },
      again: () =>
        Promise.all([
          ...Array.from({ length: 10 }, () => pc?.requestOtt(gameIdOf(facts))),
          ...Array.from({ length: 10 }, (_, at) => gameServerOf(facts).verify(ott, `stranded-${at}`)),
        ]),
      heal: async () => {
        await stack.kafka.restart();
        brokerBack.resolve(undefined);
      },
    },
    {
      what: 'a service is stopped',
      alerts: ['GsbServiceAbsent'],
      begin: () => stack.service('settlement').stop(),
      heal: async () => {
        await brokerBack.promise;
        await stack.service('settlement').start();
      },
    },
  ];
};

/** Redis neither answers nor closes its connections. */
export const silentRedis = ({ stack, players }: Broken): Fault => {
  const signal = (name: NodeJS.Signals) => async () => {
    if (stack.redis.pid !== undefined) process.kill(stack.redis.pid, name);
  };
  return {
    what: 'Redis is paused',
    alerts: ['GsbRedisAway', 'GsbRedisFailing', 'GsbHeartbeatAvailability'],
    showsAfterMs: 5_000,
    begin: signal('SIGSTOP'),
    // In a batch: it is answered 200, and its items are what fails.
    again: () => beatTogether(stack.facts(), players.slice(0, 20)),
    heal: signal('SIGCONT'),
  };
};
