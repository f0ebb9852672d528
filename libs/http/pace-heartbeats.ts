import type { Pace } from '#libs/kernel/heartbeat-pacing.ts';

/** What a heartbeat hears; one that is OK is to be followed by another. */
interface Heard {
  readonly result: string;
  readonly nextHeartbeatIn: number;
}

/** The answer to one item of a batch. */
interface Item {
  readonly status: number;
  readonly data?: Heard;
}

const comesAgain = (heard: Heard | undefined): boolean => heard?.result === 'OK';

/** Calls a use case; who is to come again hears when (D-55). */
export const paced =
  <C, A extends Heard>(pace: Pace, useCase: (call: C) => Promise<A>): ((call: C) => Promise<A>) =>
  async (call) => {
    const answer = await useCase(call);
    return comesAgain(answer) ? { ...answer, nextHeartbeatIn: pace(1) } : answer;
  };

/** As `paced`, for a batch: all of its sessions that are to come again hear the same, so that they still come in one request. */
export const pacedTogether =
  <C, R extends Item>(
    pace: Pace,
    useCase: (call: C) => Promise<{ results: R[] }>,
  ): ((call: C) => Promise<{ results: R[] }>) =>
  async (call) => {
    const { results } = await useCase(call);
    const again = results.filter(({ data }) => comesAgain(data)).length;
    if (again === 0) return { results };
    const nextHeartbeatIn = pace(again);
    return {
      results: results.map((each) =>
        comesAgain(each.data) ? { ...each, data: { ...each.data, nextHeartbeatIn } } : each,
      ),
    };
  };
