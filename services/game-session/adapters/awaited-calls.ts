import type { TrustedServer } from '#libs/records/record-types.ts';
import { createServerClocks } from '#libs/records/server-clock.ts';
import { guarded } from '#libs/records/store-context.ts';
import { commandTimeoutMs } from '#libs/redis/give-up-commands.ts';

/** Makes a call of a script in a shard of the server that is trusted, and resolves to its answer, which begins with the instant there. */
export type AwaitedCalls = <Answer extends readonly [nowMs: number, ...unknown[]]>(
  shard: string,
  call: (server: string, answerByMs: number) => Promise<Answer>,
) => Promise<Answer>;

/**
 * Tells a script until when somebody surely waits for it, by the server's clock; without an end before an answer has told its time. What a slow
 * server, or a slow link, does after that has been refused with 503: it proves no play, and ends none (D-09).
 */
export const createAwaitedCalls = (trust: TrustedServer | undefined): AwaitedCalls => {
  const clocks = createServerClocks();
  return async (shard, call) => {
    const answerByMs =
      clocks.earliestAt(shard, performance.now() + commandTimeoutMs) ?? Number.MAX_SAFE_INTEGER;
    const answer = await guarded({ trust }, (server) => call(server, answerByMs));
    clocks.learn(shard, answer[0]);
    return answer;
  };
};
