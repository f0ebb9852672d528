import { commands } from '../../../../deploy/local/faults/commands.ts';
import type { Faults } from '../../../../deploy/local/faults/faults.ts';
import { isLost } from '../../../../deploy/local/faults/link-connection.ts';
import type { LinkFault } from '../../../../deploy/local/faults/link-connection.ts';

/** What a link is set to by `lose`. */
const faultOf = async (share: string): Promise<LinkFault> => {
  const set: LinkFault[] = [];
  const link = { name: 'kafka-1', set: (fault: LinkFault) => set.push(fault) };
  const links = { all: () => [link], link: () => link };
  await commands['lose']?.run({ links } as unknown as Faults, ['kafka-1', share]);
  return set[0]!;
};

test.each([1, 3, 5, 33, 40, 50])('of a hundred pieces a loss of %d%% takes as many', async (percent) => {
  const fault = await faultOf(`${percent}%`);

  const taken = Array.from({ length: 100 }, (_, at) => at + 1).filter(
    (nth) => fault.mode === 'lose' && isLost(nth, fault.percent),
  );

  expect(taken).toHaveLength(percent);
});
