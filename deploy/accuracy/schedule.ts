import { seeded } from './random.ts';
import type { Chance } from './random.ts';

/** What can be done to the product. `forSec`: how long it lasts; `restSec`: what it needs to recover before the next one. */
export type FaultName =
  | 'kill launcher-gateway'
  | 'kill ott'
  | 'kill billing-adapter'
  | 'kill game-session'
  | 'kill settlement'
  | 'freeze game-session'
  | 'empty Redis'
  | 'kill Redis'
  | 'kill Kafka'
  | 'stop Kafka'
  | 'kill Postgres'
  | 'duplicate events'
  | 'partner'
  | 'balance';

/** A fault of the partner: which operation, how it goes wrong. */
export interface PartnerFault {
  readonly operation: 'check' | 'start' | 'renew' | 'stop' | 'all';
  readonly mode: 'error' | 'timeout' | 'slow' | 'lost_reply';
  readonly status?: number;
  readonly delay_ms?: number;
  readonly ratio: number;
}

/** A fault with its time, in seconds from the begin of play. */
export interface Planned {
  readonly atSec: number;
  readonly forSec: number;
  readonly name: FaultName;
  readonly partner?: PartnerFault;
}

interface Kind {
  readonly name: FaultName;
  readonly forSec: number;
  readonly restSec: number;
}

const kills: readonly Kind[] = (
  ['launcher-gateway', 'ott', 'billing-adapter', 'game-session', 'settlement'] as const
).map((service) => ({ name: `kill ${service}`, forSec: 0, restSec: 4 }));

/** In every run, however short. */
const always = (minutes: number): readonly Kind[] => [
  { name: 'empty Redis', forSec: 1, restSec: 6 },
  { name: 'stop Kafka', forSec: Math.min(30, Math.round(minutes * 6)), restSec: minutes < 3 ? 7 : 15 },
  { name: 'duplicate events', forSec: 0, restSec: 2 },
  ...kills,
];

/** Where there is time. */
const further: readonly Kind[] = [
  { name: 'kill Redis', forSec: 2, restSec: 6 },
  { name: 'kill Kafka', forSec: 0, restSec: 10 },
  { name: 'kill Postgres', forSec: 5, restSec: 5 },
  { name: 'freeze game-session', forSec: 6, restSec: 6 },
];

const partnerFaults: readonly [PartnerFault, ...PartnerFault[]] = [
  { operation: 'all', mode: 'error', status: 500, ratio: 1 },
  { operation: 'all', mode: 'error', status: 429, ratio: 0.5 },
  { operation: 'start', mode: 'timeout', ratio: 0.5 },
  { operation: 'start', mode: 'lost_reply', ratio: 0.7 },
  { operation: 'stop', mode: 'lost_reply', ratio: 0.7 },
  { operation: 'stop', mode: 'error', status: 503, ratio: 0.7 },
  { operation: 'stop', mode: 'timeout', ratio: 0.3 },
  { operation: 'renew', mode: 'slow', delay_ms: 1_500, ratio: 1 },
  { operation: 'renew', mode: 'lost_reply', ratio: 0.5 },
  { operation: 'check', mode: 'error', status: 500, ratio: 1 },
];

/** One after the other, with time to recover: what is lost when two stores fail at once is not promised by anybody. */
const inTurn = (kinds: readonly Kind[], fromSec: number, toSec: number, chance: Chance): Planned[] => {
  const planned: Planned[] = [];
  let atSec = fromSec;
  for (const { name, forSec, restSec } of kinds) {
    if (atSec + forSec + restSec > toSec) continue;
    planned.push({ atSec, forSec, name });
    atSec += forSec + restSec * chance.between(1, 1.3);
  }
  return planned;
};

const ofPartner = (fromSec: number, toSec: number, chance: Chance): Planned[] => {
  const planned: Planned[] = [];
  for (let atSec = fromSec; atSec < toSec;) {
    const forSec = Math.min(chance.between(3, 7), toSec - atSec);
    planned.push({ atSec, forSec, name: 'partner', partner: chance.pick(partnerFaults) });
    atSec += forSec + chance.between(4, 10);
  }
  return planned;
};

/** What happens when: determined by the seed and the length alone. The last seconds are left in peace. */
export const scheduleOf = (seed: number, minutes: number): Planned[] => {
  const chance = seeded(seed);
  const lengthSec = minutes * 60;
  const [fromSec, toSec] = [lengthSec * 0.08, lengthSec * 0.92];
  const rounds = Array.from({ length: Math.ceil(minutes) }, (_, round) =>
    round === 0
      ? [...chance.shuffled(always(minutes)), ...chance.shuffled(further)]
      : chance.shuffled([...kills, ...further, ...always(minutes).slice(0, 1)]),
  );
  const short = { atSec: lengthSec * 0.3, forSec: 6, name: 'balance' } as const;
  const long = { atSec: lengthSec * 0.55, forSec: 16, name: 'balance' } as const;
  return [
    ...inTurn(rounds.flat(), fromSec, toSec, chance),
    ...ofPartner(fromSec, toSec, chance),
    short,
    long,
  ].toSorted((one, other) => one.atSec - other.atSec);
};
