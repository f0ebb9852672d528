import { partnerOf } from '../partner.ts';
import { gameIdOf, gameServerOf, newOtt, newPlayer } from '../suite-stack.ts';
import { patiently } from '../eventually.ts';
import type { Broken, Fault } from './fault.ts';

const atOnce = 8;
const together = (work: (at: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: atOnce }, (_, at) => work(at).catch(() => undefined)));

/** The balance of a cafe is used up, and its players go on trying. */
export const emptyCafe = ({ stack }: Broken): Fault => {
  const facts = stack.facts();
  const pcs: Awaited<ReturnType<typeof newOtt>>['pc'][] = [];
  return {
    what: 'a cafe has nothing left',
    alerts: ['GsbNotChargeable'],
    begin: async () => {
      await partnerOf(facts).setBalance(1, 0);
      await together(async () => pcs.push((await patiently(() => newOtt(facts, { cafe: 1 }))).pc));
    },
    again: () =>
      together(async (at) => {
        const asked = await pcs[at]?.requestOtt(gameIdOf(facts));
        if (asked?.ok) await gameServerOf(facts).verify(asked.data.ott, `poor-${at}`);
      }),
  };
};

/** The partner fails whatever starts, and takes its time for what stops. */
export const badPartner = ({ stack }: Broken): Fault => {
  const facts = stack.facts();
  const partner = partnerOf(facts);
  return {
    what: 'the partner answers starts with 500, and stops slowly',
    alerts: ['GsbPartnerErrors', 'GsbPartnerCircuitOpen', 'GsbPendingStarts', 'GsbPartnerSlow'],
    // A circuit judges the calls of ten seconds.
    showsAfterMs: 5_000,
    begin: async () => {
      await partner.setFault({ operation: 'start', mode: 'error', status: 500 });
      await partner.setFault({ operation: 'stop', mode: 'slow', delay_ms: 1_500 });
    },
    again: () =>
      together(async () => {
        const player = await newPlayer(facts, { game: 1 });
        await player.server.end(player.id, 1);
      }),
    heal: () => partner.heal(),
  };
};
