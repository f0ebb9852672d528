import { randomBytes, randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { hashApiKey, mintApiKey } from '#libs/catalog/api-key-format.ts';

const games = [
  { game_id: 'starfall', name: 'Starfall' },
  { game_id: 'moonrise', name: 'Moonrise Tactics' },
  { game_id: 'ironhold', name: 'Ironhold' },
] as const;

const cafes = [
  { cafe_id: 'cafe-seoul-01', ips: ['203.0.113.10', '203.0.113.11'] },
  { cafe_id: 'cafe-busan-01', ips: ['203.0.113.20'] },
  { cafe_id: 'cafe-incheon-01', ips: ['203.0.113.30'] },
] as const;

const prepaidSec = 1_000_000;
const shortIdLetters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const newShortId = () =>
  Array.from({ length: 8 }, () => shortIdLetters[randomInt(shortIdLetters.length)]).join('');

/** Makes up keys for the local games and cafes, and writes them down as the catalog folder that the services read: hashes only. */
export const writeCatalog = (folder: string) => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const write = (name: string, object: unknown) =>
    writeFileSync(join(folder, `${name}.yaml`), stringify(object), { mode: 0o600 });
  const playable = games.map(({ game_id, name }) => {
    const shortId = newShortId();
    const key = mintApiKey({ env: 'dev', shortId, secretBytes: randomBytes(32) });
    const spec = {
      displayName: name,
      outagePolicy: 'continue',
      keys: [{ id: shortId, sha256: hashApiKey(key) }],
    };
    write(game_id, { apiVersion: 'gsb.dev/v1', kind: 'Game', metadata: { name: game_id }, spec });
    return { game_id, name, api_keys: [key] };
  });
  const keyed = cafes.map(({ cafe_id, ips }) => {
    const [key_id, secret] = [`${cafe_id}.k1`, randomBytes(32).toString('base64')];
    const metadata = { name: key_id, labels: { 'gsb.dev/launcher-key': 'true' } };
    write(key_id, { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { cafe_id, secret } });
    return { cafe_id, key_id, secret, ips: [...ips] };
  });
  const partnerCafes = cafes.map(({ cafe_id, ips }) => ({ cafe_id, ips, remaining_sec: prepaidSec }));
  return { games: playable, cafes: keyed, partnerCafes };
};
