import { alerts } from '../alerts/all.ts';
import { measuredSlos } from '../alerts/slos.ts';
import type { Alert } from '../alerts/types.ts';
import type { Board, Panel } from './types.ts';

/** A selector of an expression. */
interface Selector {
  /** A histogram without the name of its part. */
  readonly metric: string;
  readonly matchers: readonly { label: string; operator: string; wanted: string }[];
}

const selectors = /\b((?:gsb|http_server|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g;
const matchers = /(\w+)(=~|!~|!=|=)"([^"]*)"/g;

const selectorsOf = (expression: string): Selector[] =>
  [...expression.matchAll(selectors)].map(([, name = '', inBraces = '']) => ({
    metric: name.replace(/_(bucket|sum|count)$/, ''),
    matchers: [...inBraces.matchAll(matchers)].map(([, label = '', operator = '', wanted = '']) => ({
      ...{ label, operator, wanted },
    })),
  }));

const exact = ({ matchers: all }: Selector) =>
  all.filter(({ operator, wanted }) => operator === '=' && !wanted.startsWith('$'));

/** Whether no series can be in both, as far as labels with one value tell. */
const areApart = (one: Selector, other: Selector): boolean =>
  exact(one).some(({ label, wanted }) =>
    exact(other).some((each) => each.label === label && each.wanted !== wanted),
  );

const shareSeries = (one: Selector, other: Selector): boolean =>
  one.metric === other.metric && !areApart(one, other);

/** What an alert measures: an SLO's recordings are made of what it promises. */
const measuredBy = ({ name, expr }: Alert): string => {
  const slo = measuredSlos.find(({ alert }) => alert === name);
  return slo === undefined ? expr : slo.all.join(' ');
};

/** The alerts of a board that judge by what one of its panels shows, each once. */
export const judgedBy = ({ uid }: Pick<Board, 'uid'>, { queries }: Panel): string[] => {
  const shown = queries.flatMap(({ expr }) => selectorsOf(expr));
  const judges = Object.values(alerts)
    .flat()
    .filter(({ board }) => board === uid)
    .filter((alert) =>
      selectorsOf(measuredBy(alert)).some((its) => shown.some((ours) => shareSeries(its, ours))),
    );
  return [...new Set(judges.map(({ name }) => name))];
};
