import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isBuiltin } from 'node:module';
import { podEnvironment, podFlags } from '../../deploy/local/pod-flags.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const { dependencies, imports } = JSON.parse(read('package.json')) as {
  dependencies: Record<string, string>;
  imports: Record<string, string>;
};

const dockerfile = read('deploy/image/Dockerfile');
const textOf = (stage: string): string =>
  new RegExp(`^FROM (?:--platform=\\S+ )?\\S+ AS ${stage}$([^]*?)(?=^FROM )`, 'm').exec(dockerfile)?.[1] ??
  '';
const wordsOf = (text: string, copy: RegExp): string[] =>
  [...text.matchAll(copy)].flatMap(([, sources = '']) => sources.split(' '));
/** What a stage has from the checkout itself. */
const copiedBy = (stage: string): string[] => wordsOf(textOf(stage), /^COPY (?!--from)(.+) \S+$/gm);
/** What a stage has of the source without types. */
const strippedIn = (stage: string): string[] =>
  wordsOf(textOf(stage), /^COPY --from=source (.+) \S+$/gm).map((path) => relative('/app', path));
/** The last stage is the product, which copies nothing more. */
const product = [...copiedBy('product'), ...strippedIn('product')];
const simulators = [...product, ...strippedIn('simulators')];
const stages = ['packages', 'source', 'product', 'simulators', 'dev'];
const copied = [...new Set(stages.flatMap(copiedBy))];
const letThrough = [...read('deploy/image/Dockerfile.dockerignore').matchAll(/^!(.+)$/gm)].map(
  ([, path]) => path,
);
const isIn = (paths: readonly string[], file: string) =>
  paths.some((path) => file === path || file.startsWith(`${path}/`));

const filesOf = (...patterns: string[]) => globSync(patterns, { cwd: root }).sort();
/** What a cluster runs of the product: the services, the jobs, the commands of operators. */
const programs = filesOf(
  'services/*/{main,migrate}.ts',
  'deploy/image/jobs/topics.ts',
  'deploy/operations/{agree,close-day,console,erase,replay}.ts',
  'deploy/operations/*/main.ts',
);
/** What a cluster runs for a journey: its player, and the simulated partner of gsb-deps. */
const players = filesOf('deploy/simulators/{helm-test,partner}/main.ts');

const withoutStar = (pattern: string) => pattern.replace('*', '');

/** The file that an import of `file` means, or the name of a package. */
const resolved = (file: string, name: string): string => {
  const alias = Object.entries(imports).find(([pattern]) => name.startsWith(withoutStar(pattern)));
  if (alias !== undefined)
    return relative(root, join(root, name.replace(withoutStar(alias[0]), withoutStar(alias[1]))));
  return name.startsWith('.') ? relative(root, resolve(root, dirname(file), name)) : name;
};

/** Types are gone when Node runs a file. */
const importsOf = (file: string): string[] =>
  [
    ...read(file).matchAll(/^(?:import|export) (?!type )(?:[^;'=]* from )?'([^']+)'|\bimport\('([^']+)'\)/gm),
  ].map(([, name = '', later = '']) => resolved(file, name || later));
const isFile = (name: string) => name.endsWith('.ts') && existsSync(join(root, name));

/** Everything that a program imports, files and packages, however far away. */
const reached = (program: string): string[] => {
  const found = new Set([program]);
  for (const name of found) for (const next of isFile(name) ? importsOf(name) : []) found.add(next);
  return [...found];
};

const packageOf = (name: string) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;

describe('the image', () => {
  test('is made of what its Dockerfile copies, and .dockerignore lets that through', () => {
    expect([...copied].sort()).toEqual([...letThrough].sort());
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('has TypeScript without its types alone, and its entry point knows so', () => {
    expect(textOf('product')).toContain(
      'ENTRYPOINT ["/nodejs/bin/node", "--import=/app/deploy/image/types-are-stripped.mjs"]',
    );
    expect([...copiedBy('product'), ...copiedBy('simulators')]).toEqual(['package.json']);
    for (const stage of ['product', 'simulators'])
      expect(strippedIn(stage).filter((path) => !isIn(copiedBy('source'), path))).toEqual([]);
  });

  test('has the programs that operators run', () => {
    expect(programs).toEqual(
      expect.arrayContaining([
        'deploy/operations/close-day.ts',
        'deploy/operations/dead-letters/main.ts',
        'deploy/operations/keys/main.ts',
        'deploy/operations/replay.ts',
      ]),
    );
  });

  const straysOf = (program: string, paths: readonly string[]): string[] =>
    reached(program).filter((name) =>
      isFile(name) ? !isIn(paths, name) : !isBuiltin(name) && !(packageOf(name) in dependencies),
    );

  test.each(programs)('has all that %s imports, with the packages of production alone', (program) => {
    expect(reached(program).length).toBeGreaterThan(1);
    expect(straysOf(program, product)).toEqual([]);
  });

  test('has nothing that plays: simulators have an image of their own', () => {
    expect(product.filter((path) => 'deploy/simulators'.startsWith(path))).toEqual([]);
    expect(dockerfile.trimEnd().split('\n').at(-1)).toBe('FROM product');
    expect(players).toHaveLength(2);
    for (const player of players) expect(straysOf(player, simulators)).toEqual([]);
  });

  test('is the same on every kind of machine: no package of production has code for one of them', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { dev?: boolean; cpu?: string[]; os?: string[] }>;
    };
    const particular = Object.entries(packages).filter(([, { dev, cpu, os }]) => !dev && (cpu ?? os));
    expect(particular.map(([name]) => name)).toEqual([]);
    expect(dockerfile).toContain('FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS packages');
  });

  test('runs Node as this machine does, but for the memory that a pod gives', () => {
    const set = [...dockerfile.matchAll(/NODE_OPTIONS="(.*)" \\\n +((?:MALLOC_\w+=\d+ )+)/g)];
    const flags = podFlags.filter((flag) => !flag.startsWith('--max-old-space-size'));

    expect(set).toHaveLength(2);
    for (const [, options = '', memory = ''] of set) {
      expect(options.split(' ').filter((option) => !option.startsWith('--disable-warning'))).toEqual(flags);
      const settings = [...memory.matchAll(/(\w+)=(\d+)/g)].map(([, name = '', value]) => [name, value]);
      expect(Object.fromEntries(settings)).toEqual(podEnvironment);
    }
  });

  test('is made on bases that a build can give by digest, and runs no install script', () => {
    const bases = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, base]) => base);

    expect(bases).toEqual([
      ...['${NODE_IMAGE}', 'packages', '${RUNTIME_IMAGE}'],
      ...['product', '${NODE_IMAGE}', 'product'],
    ]);
    expect(dockerfile.match(/npm (ci|install|rebuild)[^\n]*/g)).toEqual([
      expect.stringContaining('npm ci --omit=dev --ignore-scripts'),
    ]);
  });
});
