import { serviceNames } from '#libs/contracts/topics.ts';
import type { Chance } from '../random.ts';
import type { Kind, Kinds } from '../schedule.ts';

const brokers = ['kafka-1', 'kafka-2', 'kafka-3'] as const;

const oneReplicaOf = (service: string, chance: Chance): string => `${service}-${chance.pick([1, 2])}`;

/** Of every service one replica, which one by chance. */
const ofReplicas = (verb: string, chance: Chance, times: Omit<Kind, 'name'>): Kind[] =>
  serviceNames.map((service) => ({ name: `${verb} ${oneReplicaOf(service, chance)}`, ...times }));

/** A broker that comes back must have every message again before the next one goes. */
const ofBrokers = (verb: string, times: Omit<Kind, 'name'>): Kind[] =>
  brokers.map((broker) => ({ name: `${verb} ${broker}`, ...times }));

/** In every run, however short. */
const always = (chance: Chance): Kind[] => [
  { name: `kill ${chance.pick(brokers)}`, forSec: 4, backSec: 5, restSec: 4 },
  { name: 'move leaders', forSec: 0, backSec: 6, restSec: 3 },
  { name: 'fail Redis over', forSec: 6, backSec: 2, restSec: 4 },
  { name: `kill ${oneReplicaOf('game-session', chance)}`, forSec: 0, backSec: 5, restSec: 1 },
  { name: `kill ${oneReplicaOf('ott', chance)}`, forSec: 0, backSec: 5, restSec: 1 },
];

/** Where there is time; a clock is wrong while play goes on. */
const further = (chance: Chance): Kind[] => [
  ...ofBrokers('kill', { forSec: 4, backSec: 5, restSec: 4 }),
  { name: `roll ${chance.pick(brokers)}`, forSec: 1, backSec: 6, restSec: 3 },
  { name: `black-hole ${chance.pick(brokers)}`, forSec: 12, backSec: 4, restSec: 4 },
  { name: `delay ${chance.pick(brokers)}`, forSec: 8, backSec: 0, restSec: 2 },
  { name: 'fail Redis over with the replica behind', forSec: 6, backSec: 4, restSec: 4 },
  { name: 'black-hole Redis', forSec: 12, backSec: 2, restSec: 4 },
  { name: `cut Redis for ${oneReplicaOf('game-session', chance)}`, forSec: 8, backSec: 1, restSec: 2 },
  { name: `black-hole Redis for ${oneReplicaOf('ott', chance)}`, forSec: 8, backSec: 1, restSec: 2 },
  { name: 'half-open Redis', forSec: 0, backSec: 1, restSec: 4 },
  { name: 'promote Postgres', forSec: 2, backSec: 4, restSec: 3 },
  { name: 'promote Postgres with the standby behind', forSec: 3, backSec: 4, restSec: 3 },
  ...ofReplicas('kill', chance, { forSec: 0, backSec: 5, restSec: 1 }),
  ...ofReplicas('stop', chance, { forSec: 8, backSec: 0, restSec: 3 }),
  ...ofReplicas('restart', chance, { forSec: 0, backSec: 5, restSec: 1 }),
  ...serviceNames.map((service) => ({
    name: `skew ${oneReplicaOf(service, chance)} ${chance.pick(['+300', '-300', '+60', '-20'])} s`,
    ...{ forSec: 15, backSec: 10, restSec: 2 },
  })),
  { name: 'duplicate events', forSec: 0, backSec: 0.5, restSec: 0.5 },
];

/** The faults of many of everything: what every run has, then all of them in an order by chance, again and again. */
export const kindsOfMany: Kinds = (minutes, chance) => [
  ...chance.shuffled(always(chance)),
  ...Array.from({ length: Math.ceil(minutes / 6) }, () => chance.shuffled(further(chance))).flat(),
];
