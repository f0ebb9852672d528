import { hashApiKey } from '#libs/catalog/api-key-format.ts';
import { complaintAbout } from '../programs.ts';
import type { ContextWithoutPlayers } from '../cluster-context.ts';
import { must } from '../step-report.ts';

const goodHash = (text: string) => hashApiKey(text);
const keyEntry = (id: string) => ({ id, sha256: goodHash(id) });

const bad = {
  'a hash that is none': { keys: [{ id: 'aaaaaaaa', sha256: 'abc' }], says: 'SHA-256' },
  'a plain key': {
    keys: [{ id: 'aaaaaaaa', sha256: 'gsb_dev_aaaaaaaa_secret' }],
    says: 'API key in plain text',
  },
  'three keys': { keys: [keyEntry('aaaaaaaa'), keyEntry('bbbbbbbb'), keyEntry('cccccccc')], says: '2 items' },
};

const gameWith = (keys: unknown) => ({
  apiVersion: 'gsb.dev/v1',
  kind: 'Game',
  metadata: { name: 'wrong' },
  spec: { displayName: 'Wrong', keys },
});

/** The API server itself refuses Games that are wrong, and says why. */
export const refuseBadGames = ({ report }: ContextWithoutPlayers): Promise<boolean> =>
  report.step('a Game with a bad hash, a plain key or three keys is refused by the API server', async () => {
    for (const [what, { keys, says }] of Object.entries(bad)) {
      const complaint = await complaintAbout(gameWith(keys));
      must(complaint?.includes(says) === true, `${what}: ${complaint ?? 'was taken'}`);
    }
    return undefined;
  });

/** The chart's admission policy refuses a key whose day has passed. */
export const refusePassedNotAfter = ({ report }: ContextWithoutPlayers): Promise<boolean> =>
  report.step('a Game with a passed notAfter is refused', async () => {
    const keys = [{ ...keyEntry('aaaaaaaa'), notAfter: '2020-01-01T00:00:00Z' }];
    const complaint = await complaintAbout(gameWith(keys));
    must(complaint?.includes('has passed') === true, complaint ?? 'was taken');
    return undefined;
  });
