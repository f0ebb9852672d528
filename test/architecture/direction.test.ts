import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve, dirname } from 'node:path';
import { serviceNames } from '#libs/contracts/topics.ts';

const root = resolve(import.meta.dirname, '../..');
const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));

const imports = (file: string): string[] => {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(([, name = '']) => {
    if (name.startsWith('#libs/')) return name.replace('#libs/', 'libs/');
    return name.startsWith('.') ? relative(root, resolve(dirname(join(root, file)), name)) : name;
  });
};

const isOurs = (name: string) => /^(libs|services|deploy|test)\//.test(name);

/** A room and the rooms it may look into; what is not named is closed. */
const libraries: [room: string, sees: string[]][] = [
  ['libs/kernel', ['libs/kernel']],
  ['libs/contracts', ['libs/kernel', 'libs/contracts']],
  ['libs/runtime', ['libs/kernel', 'libs/contracts', 'libs/runtime']],
  ['libs/http', ['libs/kernel', 'libs/contracts', 'libs/runtime', 'libs/http']],
  ['libs/kafka', ['libs/kernel', 'libs/contracts', 'libs/runtime', 'libs/kafka']],
  ['libs/redis', ['libs/kernel', 'libs/contracts', 'libs/runtime', 'libs/redis']],
  ['libs/records', ['libs/kernel', 'libs/contracts', 'libs/runtime', 'libs/redis', 'libs/records']],
  ['libs/rate-limits', ['libs/kernel', 'libs/contracts', 'libs/runtime', 'libs/redis', 'libs/rate-limits']],
  ['libs/messaging', ['libs/kernel', 'libs/contracts', 'libs/runtime', 'libs/redis', 'libs/messaging']],
  ['libs/postgres', ['libs/kernel', 'libs/contracts', 'libs/runtime', 'libs/postgres']],
  ['libs/catalog', ['libs/kernel', 'libs/contracts', 'libs/runtime', 'libs/catalog']],
  // What the mains have in common: it connects the drivers, and no other library sees it.
  [
    'libs/wiring',
    [
      'kernel',
      'contracts',
      'runtime',
      'http',
      'kafka',
      'redis',
      'rate-limits',
      'messaging',
      'catalog',
      'wiring',
    ].map((room) => `libs/${room}`),
  ],
];

/** Inside a service: core ← ports ← usecases ← {api events adapters} ← main. */
const insideAService: [room: string, closed: RegExp][] = [
  ['core', /\/(ports|api|events|main|config)\.ts$|\/(usecases|adapters)\//],
  ['usecases', /\/(api|main|config)\.ts$|\/services\/[^/]+\/events\.ts$|\/adapters\//],
  ['adapters', /\/(api|main|config)\.ts$|\/usecases\//],
];

/** The rooms of settlement, each with the rooms that it may import. */
const settlementRooms: Record<string, string[]> = {
  core: ['core'],
  ledger: ['core', 'ledger'],
  statements: ['core', 'ledger', 'statements'],
  closing: ['core', 'ledger', 'closing'],
};

/** A file's name says its layer in settlement. */
const layerOf = (file: string): string => {
  if (/\/core\/|\/(differences|accept)\.ts$/.test(file)) return 'pure decisions';
  if (file.endsWith('/ports.ts')) return 'ports';
  if (/^services\/settlement\/[^/]+$/.test(file)) return 'main';
  return /\/(postgres|kafka|http)-[^/]+$/.test(file) ? 'adapters' : 'use cases';
};
const settlementLayers: [layer: string, sees: string[]][] = [
  ['pure decisions', ['pure decisions']],
  ['ports', ['pure decisions', 'ports']],
  ['use cases', ['pure decisions', 'ports', 'use cases']],
  ['adapters', ['pure decisions', 'ports', 'adapters']],
];

/** Hashing is computed, although Node's module for it also gives randomness. */
const allowedInCores = ['services/settlement/core/sha256.ts → node:crypto'];

/** Each driver's package is named in one room only. */
const drivers: [packageName: RegExp, room: RegExp][] = [
  [/^kafkajs/, /^libs\/kafka\//],
  [/^(koa|@koa\/router|raw-body|structured-headers)$/, /^libs\/http\//],
  [/^pg$|^node-pg-migrate$/, /^libs\/postgres\//],
  [/^@kubernetes\/client-node$/, /^libs\/catalog\//],
  [/^ioredis$/, /^libs\/redis\//],
  [/^undici$/, /^services\/billing-adapter\/adapters\/|^libs\/http\/proxy-tunnel\.ts$/],
];

describe('imports go one way', () => {
  test.each(libraries)('%s looks only into %j', (room, sees) => {
    const strays = filesBelow(room).flatMap((file) =>
      imports(file)
        .filter((name) => isOurs(name) && !sees.some((open) => name.startsWith(`${open}/`)))
        .map((name) => `${file} → ${name}`),
    );
    expect(strays).toEqual([]);
  });

  test.each(serviceNames)('%s imports no other service', (service) => {
    const strays = filesBelow(`services/${service}`).flatMap((file) =>
      imports(file)
        .filter(
          (name) => isOurs(name) && !name.startsWith('libs/') && !name.startsWith(`services/${service}/`),
        )
        .map((name) => `${file} → ${name}`),
    );
    expect(strays).toEqual([]);
  });

  test.each(insideAService)('in every service, %s stays below what stands on it', (room, closed) => {
    const files = filesBelow('services').filter((file) => file.split('/')[2] === room);
    const strays = files.flatMap((file) =>
      imports(file)
        .filter((name) => isOurs(name) && !name.startsWith('libs/') && closed.test(`/${name}`))
        .map((name) => `${file} → ${name}`),
    );
    expect(files.length).toBeGreaterThan(0);
    expect(strays).toEqual([]);
  });

  test('usecases/ holds entry points only: each is wired by api, events or main, and no use case imports one', () => {
    const files = filesBelow('services');
    const isEntry = (name: string) => /^services\/[^/]+\/usecases\/[^/]+\.ts$/.test(name);
    const importers = new Map(files.filter(isEntry).map((entry) => [entry, [] as string[]]));
    for (const file of files) for (const name of imports(file)) importers.get(name)?.push(file);
    const strays = [...importers].filter(
      ([, from]) =>
        from.length === 0 || from.some((file) => !/^services\/[^/]+\/(api|events|main)\.ts$/.test(file)),
    );
    expect(importers.size).toBeGreaterThan(0);
    expect(strays).toEqual([]);
  });

  test('a pure core does no input and no output', () => {
    const cores = filesBelow('services').filter((file) => file.split('/')[2] === 'core');
    const strays = [...cores, ...filesBelow('libs/kernel')].flatMap((file) =>
      imports(file)
        .filter((name) => name.startsWith('node:') && name !== 'node:net')
        .map((name) => `${file} → ${name}`),
    );
    expect(strays).toEqual(allowedInCores);
  });

  test.each(Object.entries(settlementRooms))('in settlement, %s imports only %j', (room, sees) => {
    const strays = filesBelow(`services/settlement/${room}`).flatMap((file) =>
      imports(file)
        .filter((name) => name.startsWith('services/') && !sees.includes(name.split('/')[2] ?? ''))
        .map((name) => `${file} → ${name}`),
    );
    expect(strays).toEqual([]);
  });

  test.each(settlementLayers)('in settlement, %s import only %j', (layer, sees) => {
    const files = filesBelow('services/settlement').filter((file) => layerOf(file) === layer);
    const strays = files.flatMap((file) =>
      imports(file)
        .filter((name) => name.startsWith('services/') && !sees.includes(layerOf(name)))
        .map((name) => `${file} → ${name}`),
    );
    expect(files.length).toBeGreaterThan(0);
    expect(strays).toEqual([]);
  });

  test('no file imports itself through others', () => {
    const files = [...filesBelow('libs'), ...filesBelow('services')];
    const graph = new Map(files.map((file) => [file, imports(file)]));
    const done = new Set<string>();
    const circles: string[] = [];
    const walk = (file: string, path: readonly string[]): void => {
      const seenAt = path.indexOf(file);
      if (seenAt >= 0) circles.push([...path.slice(seenAt), file].join(' → '));
      if (seenAt >= 0 || done.has(file)) return;
      for (const next of graph.get(file) ?? []) walk(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) walk(file, []);
    expect(circles).toEqual([]);
  });

  test.each(drivers)('%s is named in %s alone', (packageName, room) => {
    const strays = [...filesBelow('libs'), ...filesBelow('services')]
      .filter((file) => !room.test(file))
      .filter((file) => imports(file).some((name) => packageName.test(name)));
    expect(strays).toEqual([]);
  });
});
