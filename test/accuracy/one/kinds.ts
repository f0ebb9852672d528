import { serviceNames } from '#libs/contracts/topics.ts';
import type { Kind, Kinds } from '../schedule.ts';

const kills: readonly Kind[] = serviceNames.map((service) => ({
  name: `kill ${service}`,
  forSec: 0,
  backSec: 6,
  restSec: 0.3,
}));

/** In every run, however short. */
const always = (minutes: number): readonly Kind[] => [
  { name: 'empty Redis', forSec: 1, backSec: 0.3, restSec: 3 },
  { name: 'stop Kafka', forSec: Math.min(30, Math.round(minutes * 6)), backSec: 4, restSec: 4 },
  { name: 'duplicate events', forSec: 0, backSec: 0.5, restSec: 0.5 },
  ...kills,
];

/** Where there is time. */
const further: readonly Kind[] = [
  { name: 'kill Redis', forSec: 2, backSec: 0.3, restSec: 3 },
  { name: 'kill Kafka', forSec: 0, backSec: 4, restSec: 4 },
  { name: 'kill Postgres', forSec: 5, backSec: 0.5, restSec: 3 },
  { name: 'freeze game-session', forSec: 6, backSec: 0, restSec: 4 },
];

/** The faults of one of everything. */
export const kindsOfOne: Kinds = (minutes, chance) =>
  Array.from({ length: Math.ceil(minutes) }, (_, round) =>
    round === 0
      ? [...chance.shuffled(always(minutes)), ...chance.shuffled(further)]
      : chance.shuffled([...kills, ...further, ...always(minutes).slice(0, 1)]),
  ).flat();
