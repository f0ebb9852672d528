import { seeded } from './random.ts';
import type { Chance } from './random.ts';

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
  readonly name: string;
  readonly partner?: PartnerFault;
}

/** A fault that a topology can have. */
export interface Kind extends Pick<Planned, 'name' | 'forSec' | 'restSec'> {
  /** How long what was broken needs to come back. */
  readonly backSec: number;
}

/** The faults of a topology, one after the other: in every run, then where there is time. Names and order may be left to chance. */
export type Kinds = (minutes: number, chance: Chance) => readonly Kind[];

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

/** Peace after each fault that was asked for, so that what callers meet is its own. */
const restAfterAskedSec = 12;

/** A fault that somebody asked for by name. */
export type AskedFault = Pick<Planned, 'name' | 'forSec'>;

/** These faults and no others, again and again, as often as there is time: what callers met in each can be measured. */
export const scheduleOfAsked = (asked: readonly AskedFault[], minutes: number): Planned[] => {
  const [fromSec, toSec] = [minutes * 60 * 0.06, minutes * 60 * 0.94];
  const planned: Planned[] = [];
  for (let atSec = fromSec, index = 0; ; index += 1) {
    const fault = asked[index % asked.length];
    const nextSec = atSec + (fault?.forSec ?? 0) + restAfterAskedSec;
    if (fault === undefined || nextSec > toSec) return planned;
    planned.push({ ...fault, atSec, restSec: restAfterAskedSec });
    atSec = nextSec;
  }
};

/** What happens when: determined by the seed, the length and the topology alone. The last seconds are left in peace. */
export const scheduleOf = (seed: number, minutes: number, kinds: Kinds): Planned[] => {
  const chance = seeded(seed);
  const lengthSec = minutes * 60;
  const [fromSec, toSec] = [lengthSec * 0.06, lengthSec * 0.94];
  const short = { atSec: lengthSec * 0.3, forSec: 6, restSec: 0, name: 'balance' } as const;
  const long = { atSec: lengthSec * 0.55, forSec: 16, restSec: 0, name: 'balance' } as const;
  return [
    ...inTurn(kinds(minutes, chance), fromSec, toSec, chance),
    ...ofPartner(fromSec, toSec, chance),
    short,
    long,
  ].toSorted((one, other) => one.atSec - other.atSec);
};
