import { kubectlJson } from './programs.ts';
import { release } from './release.ts';

interface Events {
  readonly items: {
    reason: string;
    lastTimestamp: string | null;
    involvedObject: { kind: string; name: string };
  }[];
}

/** When Jobs of the release were done, by the cluster's own events: the Jobs themselves go when they have succeeded. */
export const jobsDone = async (part: string): Promise<number[]> => {
  const { items } = await kubectlJson<Events>('get', 'events');
  return items
    .filter(({ involvedObject: { kind, name } }) => kind === 'Job' && name === `${release}-${part}`)
    .filter(({ reason }) => reason === 'Completed')
    .map(({ lastTimestamp }) => Date.parse(lastTimestamp ?? ''));
};
