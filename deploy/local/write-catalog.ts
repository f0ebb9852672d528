import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { operatorRoles } from '#libs/contracts/operators.ts';
import { newApiKey, newLauncherKey, newOperatorKey } from '../operations/keys/new-keys.ts';

const games = [
  { game_id: 'starfall', name: 'Starfall' },
  { game_id: 'moonrise', name: 'Moonrise Tactics' },
  { game_id: 'ironhold', name: 'Ironhold' },
] as const;

/** Who issues a cafe's key may leave open how many PCs it has. */
const cafes: readonly { cafe_id: string; pcs?: string; ips: readonly string[] }[] = [
  { cafe_id: 'cafe-seoul-01', ips: ['203.0.113.10', '203.0.113.11'] },
  { cafe_id: 'cafe-busan-01', ips: ['203.0.113.20'] },
  { cafe_id: 'cafe-incheon-01', pcs: '300', ips: ['203.0.113.30'] },
];

const prepaidSec = 1_000_000;

/** Makes keys for the local games and cafes and for an operator with all roles, and writes the catalog folder that the services read; of an API key it holds only the hash. */
export const writeCatalog = (folder: string) => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const write = (
    object: Readonly<Record<string, unknown>> & { readonly metadata: { readonly name: string } },
  ) => writeFileSync(join(folder, `${object.metadata.name}.yaml`), stringify(object), { mode: 0o600 });
  const playable = games.map(({ game_id, name }) => {
    const { key, stored } = newApiKey({
      game: game_id,
      displayName: name,
      env: 'dev',
      randomBytes: randomBytes(40),
    });
    write({ ...stored, spec: { ...stored.spec, outagePolicy: 'continue' } });
    return { game_id, name, api_keys: [key] };
  });
  const keyed = cafes.map(({ cafe_id, pcs, ips }) => {
    const stored = newLauncherKey({ cafe: cafe_id, name: 'k1', pcs, secretBytes: randomBytes(32) });
    write(stored);
    return { cafe_id, key_id: stored.metadata.name, secret: stored.stringData.secret, ips: [...ips] };
  });
  const operator = newOperatorKey({
    name: 'local',
    roles: operatorRoles,
    env: 'dev',
    randomBytes: randomBytes(40),
  });
  write(operator.stored);
  const partnerCafes = cafes.map(({ cafe_id, ips }) => ({ cafe_id, ips, remaining_sec: prepaidSec }));
  return { games: playable, cafes: keyed, partnerCafes, operatorKey: operator.key };
};
