import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { catalogObject } from '#libs/catalog/catalog-objects.ts';
import { journeySchema } from '../../../../deploy/simulators/helm-test/config.ts';

const program = resolve(import.meta.dirname, '../../../../deploy/local/journey-keys.ts');
const secret = z.object({ stringData: z.object({ 'keys.json': z.string() }) });

test('what helm test plays with in a cluster of a developer is a catalogue, and the keys to it', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program]);

  const objects = parseAllDocuments(stdout).map((each) => each.toJSON() as unknown);
  const catalogue = objects.slice(0, -1).map((each) => catalogObject.parse(each));
  const { stringData } = secret.parse(objects.at(-1));
  const keys = journeySchema.shape.JOURNEY_KEYS.parse(stringData['keys.json']);

  expect(catalogue.map(({ kind }) => kind).sort()).toEqual([
    'Game',
    'Game',
    'Game',
    'Operator',
    'Secret',
    'Secret',
    'Secret',
  ]);
  expect(keys?.games).toHaveLength(3);
  expect(keys?.cafes).toHaveLength(3);
});
