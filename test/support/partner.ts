import type { z } from 'zod';
import type { faultBody } from '#simulators/partner/control-api.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { cafeOf } from './suite-stack.ts';

/** What can go wrong with the simulated partner. */
export type Fault = z.input<typeof faultBody>;

/** The control API of a stack's simulated partner. What it changes holds for everybody on that stack. */
export const partnerOf = (stack: StackFacts) => {
  const control = `${stack.partner.url}/control`;
  const put = (path: string, body: object) =>
    fetch(`${control}/${path}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    setFault: (fault: Fault) => put('faults', fault),
    heal: () => fetch(`${control}/faults`, { method: 'DELETE' }),
    setBalance: (cafe: number, remaining_sec: number) =>
      put(`cafes/${cafeOf(stack, cafe).cafeId}`, { remaining_sec }),
    setAddresses: (cafe: number, ips: readonly string[]) =>
      put(`cafes/${cafeOf(stack, cafe).cafeId}`, { ips }),
  };
};
