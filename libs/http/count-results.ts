import { asRefusal } from '#libs/contracts/errors.ts';

/** Calls a use case and notes how it was answered: by `resultOf` its answer, the code of a Refusal, or INTERNAL, with what it threw. */
export const countResults =
  <C, A>(
    useCase: (call: C) => Promise<A>,
    resultOf: (answer: A) => string,
    note: (result: string, call: C, error?: unknown) => void,
  ): ((call: C) => Promise<A>) =>
  async (call) => {
    try {
      const answer = await useCase(call);
      note(resultOf(answer), call);
      return answer;
    } catch (error) {
      note(asRefusal(error).code, call, error);
      throw error;
    }
  };
