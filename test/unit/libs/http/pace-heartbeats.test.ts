import { paced, pacedTogether } from '#libs/http/pace-heartbeats.ts';

const heard = (result: string, nextHeartbeatIn = 120) => ({ result, nextHeartbeatIn, playDurationSec: 7 });

/** Asks everybody to come after a minute, and remembers for how many. */
const newPace = () => {
  const asked: number[] = [];
  const pace = (sessions: number): number => {
    asked.push(sessions);
    return 60;
  };
  return { pace, asked };
};

describe('who is to send another heartbeat hears when (D-55)', () => {
  test('one that is OK; one that is exhausted or replaced hears what it heard before, and takes nobody’s place', async () => {
    const { pace, asked } = newPace();
    const beat = paced(pace, async (answer: ReturnType<typeof heard>) => answer);

    expect(await beat(heard('OK'))).toEqual(heard('OK', 60));
    expect(await beat(heard('CHARGE_EXHAUSTED', 40))).toEqual(heard('CHARGE_EXHAUSTED', 40));
    expect(await beat(heard('SESSION_REPLACED'))).toEqual(heard('SESSION_REPLACED'));
    expect(asked).toEqual([1]);
  });

  test('those of a batch hear the same, so that they come in one request again', async () => {
    const { pace, asked } = newPace();
    const refused = { status: 404, error: { code: 'SESSION_NOT_FOUND' } };
    const answered = ['OK', 'CHARGE_EXHAUSTED', 'OK'].map((result) => ({ status: 200, data: heard(result) }));
    const batch = pacedTogether(pace, async () => ({ results: [refused, ...answered] }));

    const { results } = await batch({});

    const expected = [heard('OK', 60), heard('CHARGE_EXHAUSTED'), heard('OK', 60)];
    expect(results).toEqual([refused, ...expected.map((data) => ({ status: 200, data }))]);
    expect(asked).toEqual([2]);
  });

  test('a batch of none that plays asks for no place', async () => {
    const { pace, asked } = newPace();
    const results = [{ status: 404, error: { code: 'SESSION_NOT_FOUND' } }];

    expect(await pacedTogether(pace, async () => ({ results }))({})).toEqual({ results });
    expect(asked).toEqual([]);
  });
});
