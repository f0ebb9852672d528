import { seeded } from './random.ts';
import type { Chance } from './random.ts';

/** What can be done to the product. */
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
  /** Peace after it, so that what was broken catches up before something else breaks. */
  readonly restSec: number;
  readonly name: FaultName;
  readonly partner?: PartnerFault;
}

interface Kind extends Pick<Planned, 'name' | 'forSec' | 'restSec'> {
  /** How long what was broken needs to come back. */
  readonly backSec: number;
}

const kills: readonly Kind[] = (
  ['launcher-gateway', 'ott', 'billing-adapter', 'game-session', 'settlement'] as const
).map((service) => ({ name: `kill ${service}`, forSec: 0, backSec: 6, restSec: 0.3 }));

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
  for (const { name, forSec, backSec, restSec } of kinds) {
    const takesSec = forSec + backSec + restSec * chance.between(1, 1.3);
    if (atSec + takesSec > toSec) continue;
    planned.push({ atSec, forSec, restSec, name });
    atSec += takesSec;
  }
  return planned;
};

const ofPartner = (fromSec: number, toSec: number, chance: Chance): Planned[] => {
  const planned: Planned[] = [];
  for (let atSec = fromSec; atSec < toSec;) {
    const forSec = Math.min(chance.between(3, 7), toSec - atSec);
    planned.push({ atSec, forSec, restSec: 0, name: 'partner', partner: chance.pick(partnerFaults) });
    atSec += forSec + chance.between(4, 10);
  }
  return planned;
};

/** What happens when: determined by the seed and the length alone. The last seconds are left in peace. */
export const scheduleOf = (seed: number, minutes: number): Planned[] => {
  const chance = seeded(seed);
  const lengthSec = minutes * 60;
  const [fromSec, toSec] = [lengthSec * 0.06, lengthSec * 0.94];
  const rounds = Array.from({ length: Math.ceil(minutes) }, (_, round) =>
    round === 0
      ? [...chance.shuffled(always(minutes)), ...chance.shuffled(further)]
      : chance.shuffled([...kills, ...further, ...always(minutes).slice(0, 1)]),
  );
  const short = { atSec: lengthSec * 0.3, forSec: 6, restSec: 0, name: 'balance' } as const;
  const long = { atSec: lengthSec * 0.55, forSec: 16, restSec: 0, name: 'balance' } as const;
  return [
    ...inTurn(rounds.flat(), fromSec, toSec, chance),
    ...ofPartner(fromSec, toSec, chance),
    short,
    long,
  ].toSorted((one, other) => one.atSec - other.atSec);
};
