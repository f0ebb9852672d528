import { maxListed } from '#libs/contracts/api/settlement.ts';
import type { getReconciliation as contract } from '#libs/contracts/api/settlement.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import type { Call } from '#libs/http/route.ts';
import { causes } from './differences.ts';
import type { Closing, Closings } from '../ports.ts';
import type { DayPorts } from '../statements/ports.ts';
import { closeDay } from './close-day.ts';

type Reconciliation = Data<typeof contract>;

const first = async <T>(pages: AsyncIterable<T[]>, most = Number.POSITIVE_INFINITY): Promise<T[]> => {
  const all: T[] = [];
  for await (const page of pages) {
    all.push(...page.slice(0, most - all.length));
    if (all.length >= most) break;
  }
  return all;
};

const described = async (closings: Closings, closing: Closing): Promise<Omit<Reconciliation, 'closed'>> => {
  const { timeZone: _, ...sums } = closing;
  const { day } = closing;
  const found = await first(closings.differences(day), maxListed);
  return {
    ...sums,
    totals: await first(closings.totals(day)),
    adjustments: await first(closings.adjustments(day), maxListed),
    differences: found.map((each) => ({ ...each, ...causes[each.cause] })),
  };
};

/** What agrees on a day, what differs and by how much: as it was closed, or as it stands now, which is then taken back (D-29). */
export const getReconciliation =
  ({ openClosings, statements, timeZone }: DayPorts) =>
  async ({ params: { day } }: Call<typeof contract, undefined>): Promise<Reconciliation> => {
    const closed = (await statements.closedScope(day)) !== undefined;
    const closings = await openClosings();
    try {
      const look = closeDay({ closings, progress: () => undefined });
      const answer = await look({ day, timeZone, keep: false }, (closing) => described(closings, closing));
      return { ...answer, closed };
    } finally {
      await closings.end().catch(() => undefined);
    }
  };
