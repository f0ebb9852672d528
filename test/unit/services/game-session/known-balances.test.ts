import { knownBalances } from '../../../../services/game-session/adapters/known-balances.ts';

const aDay = 86_400;
const awaitedPerSec = 3;

/** Balances on a clock to turn, and whether the last of so many heartbeats of one moment is answered by them. */
const world = () => {
  const of = { nowMs: 0 };
  const balances = knownBalances({ awaitedPerSec, now: () => of.nowMs });
  const beats = (count: number, cafeId = 'rich') =>
    Array.from({ length: count }, () => balances.heartbeatCame(cafeId)).at(-1);
  return { of, ...balances, beats };
};

describe('a heartbeat is OK without the partner (D-62)', () => {
  test('in a crowd, at a cafe whose balance lasts for a day', () => {
    const { told, beats } = world();
    told('rich', aDay);

    expect(beats(awaitedPerSec + 1)).toBe(true);
  });

  test('with the first one of a second that follows a crowd', () => {
    const { of, told, beats } = world();
    told('rich', aDay);
    beats(awaitedPerSec + 1);

    of.nowMs = 1_000;

    expect(beats(1)).toBe(true);
  });

  test('while the partner said so in the last ten minutes', () => {
    const { of, told, beats } = world();
    told('rich', aDay);

    of.nowMs = 599_999;

    expect(beats(awaitedPerSec + 1)).toBe(true);
  });
});

describe('a heartbeat waits for the partner', () => {
  test('where few come', () => {
    const { told, beats } = world();
    told('rich', aDay);

    expect(beats(awaitedPerSec)).toBe(false);
  });

  test('a second after a crowd', () => {
    const { of, told, beats } = world();
    told('rich', aDay);
    beats(awaitedPerSec + 1);

    of.nowMs = 2_000;

    expect(beats(1)).toBe(false);
  });

  test('at a cafe of which the partner has said nothing', () => {
    const { told, beats } = world();
    told('rich', aDay);

    expect(beats(awaitedPerSec + 1, 'unknown')).toBe(false);
  });

  test.each([aDay - 1, 0])('where %i s are left', (remainingSec) => {
    const { told, beats } = world();
    told('rich', aDay);
    told('rich', remainingSec);

    expect(beats(awaitedPerSec + 1)).toBe(false);
  });

  test('where the partner said so ten minutes ago', () => {
    const { of, told, beats } = world();
    told('rich', aDay);

    of.nowMs = 600_000;

    expect(beats(awaitedPerSec + 1)).toBe(false);
  });

  test('at the cafe that was told first of more than fifty thousand', () => {
    const { told, beats } = world();
    for (let cafe = 0; cafe <= 50_000; cafe += 1) told(`cafe-${cafe}`, aDay);

    expect(beats(awaitedPerSec + 1, 'cafe-0')).toBe(false);
    expect(beats(1, 'cafe-1')).toBe(true);
  });
});

describe('heartbeats gather (D-56)', () => {
  test('briefly in the second after one in which most went by the balances', () => {
    const { of, told, beats, heartbeatsGather } = world();
    told('rich', aDay);
    beats(100);
    expect(heartbeatsGather()).toBe('far');

    of.nowMs = 1_000;
    beats(1);

    expect(heartbeatsGather()).toBe('brief');
  });

  test('as others where half of them have waited', () => {
    const { of, told, beats, heartbeatsGather } = world();
    told('rich', aDay);
    beats(100, 'unknown');
    beats(100);

    of.nowMs = 1_000;
    beats(1);

    expect(heartbeatsGather()).toBe('far');
  });
});
