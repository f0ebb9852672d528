import { maxListed } from '#libs/contracts/api/settlement.ts';
import type { getReconciliation as contract } from '#libs/contracts/api/settlement.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Operator } from '#libs/catalog/catalog.ts';
import type { Call } from '#libs/http/route.ts';
import { causes } from './differences.ts';
import { reaches } from '../core/reach.ts';
import { closeDay } from './close-day.ts';
import type { Closing, Closings, Reconciliation, ReconciliationPorts } from './ports.ts';

const first = async <T>(pages: AsyncIterable<T[]>, max = Number.POSITIVE_INFINITY): Promise<T[]> => {
  const all: T[] = [];
  for await (const page of pages) {
    all.push(...page.slice(0, max - all.length));
    if (all.length >= max) break;
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

/**
 * The totals, adjustments and differences of a day: as it was closed, or of an open day by a closing that is rolled back (D-29), of which
 * there is one at a time: others are RATE_LIMITED. Throws FORBIDDEN for an operator who may not read every cafe and game (D-40).
 */
export const getReconciliation =
  ({ openClosings, timeZone }: ReconciliationPorts) =>
  async ({ params: { day }, caller }: Call<typeof contract, Operator>): Promise<Reconciliation> => {
    if (!reaches(caller, {})) throw new Refusal('FORBIDDEN');
    const closings = await openClosings();
    try {
      const report = (closing: Closing) => described(closings, closing);
      const closing = await closings.find(day);
      if (closing !== undefined)
        return { ...(await closings.inTransaction(() => report(closing), { commit: true })), closed: true };
      const preview = closeDay({ closings, progress: () => undefined });
      return { ...(await preview({ day, timeZone, commit: false }, report)), closed: false };
    } finally {
      await closings.end().catch(() => undefined);
    }
  };
