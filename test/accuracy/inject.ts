import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { sleep } from '#libs/runtime/wait.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { repeatEvents } from './duplicates.ts';
import type { History } from './history.ts';
import type { Planned } from './schedule.ts';

/** Cafe that runs out of balance, by its place in the catalog. */
const poorCafe = 2;
const plenty = 1_000_000;

/** Does a fault, waits until the product is whole again, and resolves to what was done. */
export type Inject = (planned: Planned) => Promise<string>;
/** How each fault of a topology is done, by its name. */
export type Injections = Readonly<Record<string, Inject>>;

const put = async (url: string, body: unknown): Promise<void> => {
  const sent = { method: 'PUT', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  const { status } = await fetch(url, sent);
  if (status !== 200) throw new Error(`the partner answered ${status} to ${url}`);
};

const partnerFails =
  (facts: () => StackFacts): Inject =>
  async ({ partner, forSec }) => {
    const { url } = facts().partner;
    await put(`${url}/control/faults`, { ...partner });
    await sleep(forSec * 1000);
    await fetch(`${url}/control/faults`, { method: 'DELETE' });
    return `partner: ${partner?.mode} on ${partner?.operation}, ${(partner?.ratio ?? 1) * 100} %`;
  };

const runOut =
  (facts: () => StackFacts): Inject =>
  async ({ forSec }) => {
    const { partner, cafes } = facts();
    const url = `${partner.url}/control/cafes/${cafes[poorCafe]?.cafe_id}`;
    await put(url, { remaining_sec: 0 });
    await sleep(forSec * 1000);
    await put(url, { remaining_sec: plenty });
    return `a cafe's balance ran out, topped up after ${forSec} s`;
  };

/** The faults that every topology has. */
export const commonInjections = (facts: () => StackFacts, kafka: KafkaConnection): Injections => ({
  'duplicate events': async () => `${await repeatEvents(kafka)} events said twice`,
  partner: partnerFails(facts),
  balance: runOut(facts),
});

/** What may happen while something else is broken; the others wait until the product is whole again. */
const besideOthers: ReadonlySet<string> = new Set(['partner', 'balance']);

/** When a fault may begin. */
export interface Moments {
  /** A batch has been sent. */
  onBatch(): void;
  /** Resolves when the next batch is sent, or nobody sends one. */
  nextBatch(): Promise<void>;
}

/** A run in which faults happen. */
interface Watched {
  readonly history: History;
  readonly moments: Moments;
  readonly print: (line: string) => void;
}

const noBatchMs = 1_500;

/** Faults begin while a batch is under way, wherever there are any. */
export const createMoments = (): Moments => {
  let waiting: (() => void)[] = [];
  return {
    onBatch: () => {
      for (const go of waiting) go();
      waiting = [];
    },
    nextBatch: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, noBatchMs);
        waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
};

/** How long after it was sent a batch is met by a fault, in ms: from the way to us to the way back. It follows from the plan. */
const intoBatchMs = ({ atSec }: Planned): number => Math.round(atSec * 1000) % 40;

/**
 * Lets the faults happen, each at its time or when the one before it is over, and writes them down; those that are not beside others begin
 * while a batch is under way. Rejects when one could not be done.
 */
export const injectAll = async (
  injections: Injections,
  plan: readonly Planned[],
  { history, moments, print }: Watched,
): Promise<void> => {
  const beganMs = history.now();
  const one = async (planned: Planned): Promise<void> => {
    await sleep(beganMs + planned.atSec * 1000 - history.now());
    if (!besideOthers.has(planned.name)) {
      await moments.nextBatch();
      await sleep(intoBatchMs(planned));
    }
    const at = history.now();
    const inject = injections[planned.name];
    if (inject === undefined) throw new Error(`nobody knows how to do ${planned.name}`);
    const what = await inject(planned);
    history.add({ kind: 'fault', at, until: history.now(), name: planned.name, what });
    print(
      `  ${(at / 1000).toFixed(1).padStart(6)} s  ${what} (${((history.now() - at) / 1000).toFixed(1)} s)`,
    );
  };
  const beside = plan.filter(({ name }) => besideOthers.has(name)).map(one);
  const inTurn = plan
    .filter(({ name }) => !besideOthers.has(name))
    .reduce(async (before, planned) => {
      await before;
      await one(planned);
      await sleep(planned.restSec * 1000);
    }, Promise.resolve());
  await Promise.all([inTurn, ...beside]);
};
