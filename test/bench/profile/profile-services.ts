import type { Measured } from '../usage.ts';
import { cpuProfileOf } from './cpu-profile.ts';
import { timeShares } from './time-shares.ts';

const longestMs = 4_000;
const leastShare = 0.01;

/** Where a service spent its time, as one line. */
export type ServiceProfile = readonly [service: string, shares: string];

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/**
 * Profiles the services of a phase, one after the other, because one process at a time can be inspected: `begin` is to be called when the
 * phase begins to be measured. The profiles share its seconds.
 */
export const createProfiling = (services: readonly Measured[], seconds: number) => {
  const eachMs = Math.min(longestMs, (seconds * 1000) / (services.length + 1));
  let running: Promise<ServiceProfile[]> | undefined;
  const profileAll = async (): Promise<ServiceProfile[]> => {
    const profiles: ServiceProfile[] = [];
    for (const { name, pid } of services) {
      const shares = timeShares(await cpuProfileOf(pid, eachMs)).filter(([, share]) => share >= leastShare);
      profiles.push([name, shares.map(([what, share]) => `${what} ${percent(share)}`).join(', ')]);
    }
    return profiles;
  };
  return {
    begin: (): void => {
      running ??= profileAll();
      running.catch(() => undefined);
    },
    /** Resolves when all were profiled; rejects when one could not be. */
    done: async (): Promise<readonly ServiceProfile[]> => (await running) ?? [],
  };
};
