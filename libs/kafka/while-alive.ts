import type { EachBatchPayload } from 'kafkajs';

const heartbeatEveryMs = 1_000;

/** Does long work while the group is told that its member lives; without that it would be thrown out after the session timeout. */
export const whileAlive = async <T>(
  { heartbeat }: EachBatchPayload,
  work: () => Promise<T>,
  onFailure: (error: unknown) => void = () => undefined,
): Promise<T> => {
  const timer = setInterval(() => void heartbeat().catch(onFailure), heartbeatEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
};
