import { kubectlJson } from './programs.ts';

/** A pod, as far as we look at it. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly phase: string;
    readonly containerStatuses?: readonly {
      readonly ready: boolean;
      readonly restartCount: number;
      readonly containerID?: string;
      readonly state: { readonly waiting?: { readonly reason: string; readonly message?: string } };
    }[];
  };
}

/** The longest grace period of a pod, in seconds. */
export const drainedSec = 45;

/** The pods of a service that are not about to go. */
export const podsOf = async (part: string): Promise<Pod[]> => {
  const { items } = await kubectlJson<{ items: Pod[] }>(
    ...['get', 'pods', '--selector', `app.kubernetes.io/component=${part}`],
  );
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
};

/** What a pod's one container is about. */
export const partsOf = ({ status }: Pod) => {
  const container = status.containerStatuses?.[0];
  return {
    waiting: container?.state.waiting,
    restarts: container?.restartCount ?? 0,
    ready: container?.ready ?? false,
    containerId: container?.containerID?.split('://')[1] ?? '',
  };
};

/** How many pods of the release are about to go. */
export const leavingPods = async (): Promise<number> => {
  const { items } = await kubectlJson<{ items: Pod[] }>('get', 'pods');
  return items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;
};

/** How many pods of a service are ready. */
export const readyOf = async (part: string): Promise<number> =>
  (await podsOf(part)).filter((pod) => partsOf(pod).ready).length;
