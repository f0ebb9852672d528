import type { Limits, Panel, Query, Unit } from './types.ts';

type Look = Pick<Panel, 'good'> & { readonly unit?: Unit; readonly limits?: Limits };
type Expressions = string | Readonly<Record<string, string>>;

const queriesOf = (expressions: Expressions): Query[] =>
  typeof expressions === 'string'
    ? [{ expr: expressions, legend: '' }]
    : Object.entries(expressions).map(([legend, expr]) => ({ expr, legend }));

const panel =
  (form: NonNullable<Panel['form']>, usual: Unit) =>
  (title: string, expressions: Expressions, { unit = usual, ...look }: Look): Panel => ({
    ...{ title, form, unit, queries: queriesOf(expressions) },
    ...look,
  });

/** One number, in its colour. */
export const number = panel('number', 'percentunit');
/** Lines over time, by their legend. */
export const timeline = panel('timeline', 'ops');
/** Areas upon each other. */
export const stack = panel('stack', 'ops');
/** A histogram over time. */
export const heatmap = panel('heatmap', 's');

/** Red above. */
export const above = (warn: number, alarm: number): Limits => ({ warn, alarm });
/** Red below. */
export const below = (warn: number, alarm: number): Limits => ({ warn, alarm, below: true });
