import type { Sealed } from '#libs/contracts/delivery.ts';
import { toWire } from '#libs/contracts/wire.ts';
import type { Session } from '../../services/game-session/core/session.ts';
import { eventually } from '../support/eventually.ts';
import { syntheticSession } from '../support/synthetic-session.ts';
import { messagesOn, openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

let playground: Playground;
beforeAll(async () => (playground = await openPlayground(['heartbeats.v1', 'game-sessions.v1'])));
afterAll(() => playground.close());

const heartbeat = 'game-session.heartbeat' as const;
const sealed = (session: Session): Sealed => ({
  key: session.gameSessionId,
  json: JSON.stringify({ session: toWire(session) }),
});

test.each([
  ['in one message for a known partition', true],
  ['by their keys while their partition is not known', false],
])(
  'events that are gathered leave %s, each once (D-62)',
  async (how, isKnown) => {
    const { publish, gather, partitionOf } = await playground.publisher();
    const heard: string[] = [];
    await playground.consumer(`gathered ${how}`, {
      [heartbeat]: async ({ session }) => void heard.push(session.gameSessionId),
    });
    const sessions = Array.from({ length: 100 }, () => syntheticSession('cafe-1', Date.now()));
    const [first, ...others] = sessions as [Session, ...Session[]];
    await publish(heartbeat, { session: first });
    const partitionOfOne = ({ gameSessionId }: Session) => partitionOf(heartbeat, gameSessionId);
    const same = others.filter((each) => partitionOfOne(each) === partitionOfOne(first));
    const before = await messagesOn(playground, 'heartbeats.v1');

    const gathered = gather(heartbeat, isKnown ? partitionOfOne(first) : undefined);
    for (const each of same)
      expect(gathered.add({ data: sealed(each), trace: {}, atMs: Date.now() })).toBe(true);
    await gathered.publish();

    const ids = same.map(({ gameSessionId }) => gameSessionId);
    await eventually(
      async () => heard.filter((id) => ids.includes(id)).length,
      (length) => length >= ids.length,
    );
    expect(heard.filter((id) => ids.includes(id))).toEqual(ids);
    expect((await messagesOn(playground, 'heartbeats.v1')) - before).toBe(1);
  },
  60_000,
);
