import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import {
  gameSessionIdFor,
  shardOfGameSession,
  shardOfPc,
  shards,
  uuidOfDigest,
} from '#libs/kernel/shards.ts';
import { gameSessionId, uuidV4 } from '#libs/contracts/fields.ts';

describe('where a record lives', () => {
  test("a game session's id carries the shard of its PC, and is gs_ and a UUID all the same (D-21)", () => {
    for (let times = 0; times < 1_000; times += 1) {
      const pcId = `pc_${randomBytes(16).toString('hex')}`;
      const id = gameSessionIdFor(randomUUID(), pcId);

      expect(shardOfGameSession(id)).toBe(shardOfPc(pcId));
      expect(shards).toContain(shardOfPc(pcId));
      expect(gameSessionId.safeParse(id).success).toBe(true);
    }
  });

  test('whatever the digest, the id made of it is a UUID of version 4 (D-15)', () => {
    const digest = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Buffer.from(bytes).toString('hex'));
    fc.assert(fc.property(digest, (hex) => uuidV4.safeParse(uuidOfDigest(hex)).success));
  });
});
