import type { StackFacts } from '#simulators/stack-file.ts';
import { cafeOf } from './suite-stack.ts';

/** The faults that the simulated partner can be given. */
export type Fault = Readonly<{
  operation: string;
  mode: string;
  status?: number;
  delay_ms?: number;
  count?: number;
}>;

/** The knobs of a stack's simulated partner. They turn for everybody on that stack. */
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
  };
};
