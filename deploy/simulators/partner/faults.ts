import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import type { faultBody } from './control-api.ts';

/** What goes wrong with an operation, as `PUT /control/faults` sets it. */
export type Fault = z.output<typeof faultBody>;
type Operation = Exclude<Fault['operation'], 'all'>;

/** How a request is treated: served, its response held back, failed with a status, or its connection closed without or after the work. */
export type Treatment =
  | { readonly do: 'serve' }
  | { readonly do: 'fail'; readonly status: number; readonly body?: unknown }
  | { readonly do: 'work_then_wait'; readonly ms: number }
  | { readonly do: 'drop' | 'work_then_drop' };

const hugeBytes = 2 * 1024 * 1024;

/** Responses that cannot be believed, by the mode of the fault. */
const unbelievable: Readonly<Partial<Record<Fault['mode'], { status: number; body: unknown }>>> = {
  not_json: { status: 200, body: '<html>maintenance</html>' },
  wrong_shape: { status: 200, body: { ok: true } },
  negative: { status: 200, body: { status: 'stopped', remaining_sec: -1, play_duration_sec: -1 } },
  absurd: { status: 200, body: { status: 'stopped', remaining_sec: 0.5, play_duration_sec: 1e15 } },
  redirect: { status: 301, body: { code: 'MOVED' } },
  huge: { status: 200, body: { padding: 'x'.repeat(hugeBytes) } },
};

const timeoutFaultMs = 30_000;
const operations: readonly Operation[] = ['check', 'start', 'renew', 'stop'];

/** The faults in force, one for each operation. */
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
    /** What to do with a request, after the delay of the fault; that of `late_reply` comes after the work, so that newer answers overtake it. */
    treat: async (operation: Operation): Promise<Treatment> => {
      const fault = take(operation);
      if (fault === undefined) return { do: 'serve' };
      if (fault.mode === 'late_reply') return { do: 'work_then_wait', ms: fault.delay_ms };
      await sleep(fault.mode === 'timeout' ? timeoutFaultMs : fault.delay_ms, undefined, { ref: false });
      const response = unbelievable[fault.mode];
      if (response) return { do: 'fail', ...response };
      if (fault.mode === 'error') return { do: 'fail', status: fault.status };
      if (fault.mode === 'lost_reply') return { do: 'work_then_drop' };
      return { do: fault.mode === 'timeout' ? 'drop' : 'serve' };
    },
  };
};
