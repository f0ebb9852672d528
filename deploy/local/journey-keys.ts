import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { writeCatalog } from './write-catalog.ts';

/** Prints what helm test plays with in a cluster of a developer: games, launcher keys and an operator, and the Secret of test.keysSecret that has their keys. */
const folder = mkdtempSync(join(tmpdir(), 'gsb-keys-'));
try {
  const { games, cafes, operatorKey } = writeCatalog(folder);
  const keys = stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'gsb-journey-keys' },
    stringData: { 'keys.json': JSON.stringify({ games, cafes, operator_key: operatorKey }) },
  });
  const objects = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  process.stdout.write([...objects, keys].join('---\n'));
} finally {
  rmSync(folder, { recursive: true });
}
