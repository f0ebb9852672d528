import { topics } from '#libs/contracts/topics.ts';
import { ledger } from '../compare-ledgers.ts';
import { kubectlJson } from '../programs.ts';
import type { Pod } from '../pods.ts';
import type { ContextWithoutPlayers } from '../cluster-context.ts';
import { must, within } from '../step-report.ts';
import { partitionsOf } from '../topic-partitions.ts';

const gameNames = async (): Promise<string[]> => {
  const { items } = await kubectlJson<{ items: { metadata: { name: string } }[] }>('get', 'games');
  return items.map(({ metadata }) => metadata.name).sort();
};

/** The release goes; topics, the ledger and the Games stay. */
export const uninstall = ({ report, release, stores }: ContextWithoutPlayers): Promise<boolean> =>
  report.step('helm uninstall keeps topics, ledger and Games', async () => {
    const before = (await ledger(stores.postgres.url)).length;
    const games = await gameNames();
    await release.uninstall();
    const pods = async () => (await kubectlJson<{ items: Pod[] }>('get', 'pods')).items.length;
    await within(60, 'no pod left', pods, (count) => count === 0);
    const left = await partitionsOf(stores.kafka.brokers);
    const gone = Object.keys(topics).filter((topic) => !left.has(topic));
    must(gone.length === 0, `topics that are gone: ${gone.join(', ')}`);
    const after = (await ledger(stores.postgres.url)).length;
    must(after === before && after > 0, `${before} lines before, ${after} after`);
    const kept = await gameNames();
    must(
      kept.join() === games.join() && kept.length >= stores.games.length,
      `Games before: ${games.join(', ')}; after: ${kept.join(', ')}`,
    );
    return `${left.size} topics, ${after} lines, ${kept.length} Games`;
  });
