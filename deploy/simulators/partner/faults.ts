import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import type { faultBody } from '#libs/contracts/partner.ts';

/** What goes wrong with an operation, as it was put by `PUT /control/faults`. */
export type Fault = z.output<typeof faultBody>;
type Operation = Exclude<Fault['operation'], 'all'>;

/** How a request is treated: answered with an error status, dropped without or after the work, or served. */
export type Treatment =
  | { readonly do: 'serve' }
  | { readonly do: 'fail'; readonly status: number }
  | { readonly do: 'drop' | 'work_then_drop' };

const longestSilenceMs = 30_000;
const operations: readonly Operation[] = ['check', 'start', 'renew', 'stop'];

/** The faults in force, one an operation; each may be limited in number and in share. */
export const createFaults = (random: () => number) => {
  const faults = new Map<Operation, { fault: Fault; left: number }>();
  const take = (operation: Operation): Fault | undefined => {
    const entry = faults.get(operation);
    if (entry === undefined || entry.left <= 0 || random() >= entry.fault.ratio) return undefined;
    entry.left -= 1;
    return entry.fault;
  };
  return {
    put: (fault: Fault): void => {
      for (const operation of fault.operation === 'all' ? operations : [fault.operation]) {
        if (fault.mode === 'none') faults.delete(operation);
        else faults.set(operation, { fault, left: fault.count ?? Infinity });
      }
    },
    clear: () => faults.clear(),
    /** Waits where the fault says so, and tells what to do with the request. */
    treat: async (operation: Operation): Promise<Treatment> => {
      const fault = take(operation);
      if (fault === undefined) return { do: 'serve' };
      await sleep(fault.mode === 'timeout' ? longestSilenceMs : fault.delay_ms, undefined, { ref: false });
      if (fault.mode === 'error') return { do: 'fail', status: fault.status };
      if (fault.mode === 'lost_reply') return { do: 'work_then_drop' };
      return { do: fault.mode === 'timeout' ? 'drop' : 'serve' };
    },
  };
};
