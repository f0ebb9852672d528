import { commonInjections } from './inject.ts';
import { injectionsOfMany } from './many/inject.ts';
import { injectionsOfOne } from './one/inject.ts';

/** Naming a fault breaks nothing: that needs no stack. */
const noStack = {} as never;
/** What the partner does wrong is not told by a name. */
const { partner: _, ...common } = commonInjections(noStack, noStack);

/** The names of the faults that can be asked for. */
export const knownFaults: Readonly<Record<'one' | 'many', ReadonlySet<string>>> = {
  one: new Set(Object.keys({ ...common, ...injectionsOfOne(noStack) })),
  many: new Set(Object.keys({ ...common, ...injectionsOfMany(noStack) })),
};
