import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { specLimits } from '#libs/kernel/limits.ts';
import { ottsFromLog } from '../../services/ott/adapters/otts-from-log.ts';
import { advance, mint } from '../../services/ott/core/ott.ts';
import { openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

const topics = ['otts.v1', 'ott-issuances.v1', 'ott-claims.v1', 'ott-ends.v1'] as const;

let playground: Playground;
beforeAll(async () => (playground = await openPlayground(topics)));
afterAll(() => playground.close());

const newToken = () => {
  const tokenHash = createHash('sha256').update(randomUUID()).digest('hex');
  const of = { launcherSessionId: randomUUID(), isPcCafe: true, traceparent: null, replyKey: null };
  const at = { cafeId: 'cafe-1', pcId: `pc_${randomBytes(16).toString('hex')}`, gameId: 'starfall' };
  return mint({ ottRequestId: randomUUID(), ...at, ...of, tokenHash }, Date.now(), specLimits);
};

test('what is issued on one topic and over on another is one token, and it is over (D-54)', async () => {
  const { publish } = await playground.publisher();
  const tokens = Array.from({ length: 12 }, newToken);
  for (const ott of tokens) await publish('ott.issued', { ott, sealedToken: '' });
  const voided = tokens.slice(0, 6).map((ott) => advance(ott, 'void', specLimits)!);
  for (const ott of voided) await publish('ott.voided', { ott });

  const found = new Map<string, string[]>();
  await ottsFromLog(playground.kafka, specLimits).open(new AbortController().signal, async (log) => {
    for (const parts of log.groups.values()) {
      expect(parts).toHaveLength(topics.length);
      await log.otts(parts, async (otts) => {
        for (const { tokenHash, state } of otts)
          found.set(tokenHash, [...(found.get(tokenHash) ?? []), state]);
      });
    }
  });

  const states = tokens.map(({ tokenHash }, at) => [tokenHash, [at < 6 ? 'voided' : 'issued']]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(states));
});
