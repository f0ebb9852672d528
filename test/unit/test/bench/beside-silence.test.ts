import { measureBesideSilence } from '../../../bench/beside-silence.ts';
import type { PhaseReport } from '../../../bench/report.ts';

const dueAtMs = Date.now() - 1;

/** Others who were due now, beside a phase whose window opened so much later, in ms; and what was done, in its order. */
const besideSilence = async (laterMs: number | undefined) => {
  const did: string[] = [];
  const report = { openedAtMs: laterMs === undefined ? undefined : dueAtMs + laterMs } as PhaseReport;
  const measured = measureBesideSilence(7, {
    fallSilent: async (ready) => {
      await ready();
      did.push('due');
      return { dueAtMs, swept: async () => 3 };
    },
    ready: async () => void did.push('ready'),
    measure: async () => {
      did.push('measured');
      return report;
    },
    leadMs: 0,
  });
  return { report: await measured, did };
};

test('who falls silent at once is due only when all is ready for what is measured meanwhile', async () => {
  const { report, did } = await besideSilence(-1);

  expect(did).toEqual(['ready', 'due', 'measured']);
  expect(report.silence).toEqual({ sessions: 7, sweptSec: 3 });
});

test.each([1, 20_000, undefined])(
  'what others met while they were swept is not told where it began to be measured after they were due (%p ms)',
  async (laterMs) => {
    await expect(besideSilence(laterMs)).rejects.toThrow('after the others had fallen silent');
  },
);
