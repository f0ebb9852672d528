import { createServerClocks } from '#libs/records/server-clock.ts';
import { commandTimeoutMs } from '#libs/redis/give-up-commands.ts';

/** Makes a call of a script in a shard, and resolves to its answer, which begins with the instant at the server. */
export type AwaitedCalls = <Answer extends readonly [nowMs: number, ...unknown[]]>(
  shard: string,
  call: (answerByMs: number) => Promise<Answer>,
) => Promise<Answer>;

/**
 * Tells a script until when somebody surely waits for it, by the server's clock; without an end before an answer has told its time. What a slow
 * server, or a slow link, does after that has been refused with 503: it proves no play, and ends none (D-09).
 */
export const createAwaitedCalls = (): AwaitedCalls => {
  const clocks = createServerClocks();
  return async (shard, call) => {
    const sentAtMs = performance.now();
    const answer = await call(
      clocks.earliestAt(shard, sentAtMs + commandTimeoutMs) ?? Number.MAX_SAFE_INTEGER,
    );
    clocks.learn(shard, answer[0]);
    return answer;
  };
};
