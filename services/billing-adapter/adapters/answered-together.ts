import { realTime } from '#libs/runtime/time.ts';
import type { Time } from '#libs/runtime/time.ts';
import type { Ports } from '../ports.ts';

/** Calls that begin within so many ms are made together: those of one turn of verifies (D-56) come in one fetch. */
const beginMs = 16;
/** What is answered waits no longer than this for the others of its group, in ms. */
const mostMs = 32;

/** Calls that begin together, and those of them that are answered and have not gone on. */
const createGroup = (beganMs: number, pause: Time['pause']) => {
  let inHand = 0;
  let answered: (() => void)[] = [];
  const goOn = (): void => {
    const those = answered;
    answered = [];
    for (const each of those) each();
  };
  const others = (): Promise<void> =>
    new Promise((resolve) => {
      const isFirst = answered.push(resolve) === 1;
      if (inHand === 0) goOn();
      else if (isFirst) void pause(mostMs).then(goOn);
    });
  const join: Ports['together'] = async (call) => {
    inHand += 1;
    try {
      return await call();
    } finally {
      inHand -= 1;
      await others();
    }
  };
  return { beganMs, join };
};

/**
 * Makes calls whose answers go on together, so that they share messages and deliveries: when all that began together are answered, and at most
 * 32 ms after the first of them was (D-56). A call alone waits for nobody.
 */
export const createAnsweredTogether = ({ now, pause }: Time = realTime): Ports['together'] => {
  let group = createGroup(-Infinity, pause);
  return (call) => {
    const nowMs = now();
    if (nowMs - group.beganMs >= beginMs) group = createGroup(nowMs, pause);
    return group.join(call);
  };
};
