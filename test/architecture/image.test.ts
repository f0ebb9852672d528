import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isBuiltin } from 'node:module';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const { dependencies, imports } = JSON.parse(read('package.json')) as {
  dependencies: Record<string, string>;
  imports: Record<string, string>;
};

const copied = [
  ...new Set(
    [...read('deploy/image/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
      sources.split(' '),
    ),
  ),
];
const letThrough = [...read('deploy/image/Dockerfile.dockerignore').matchAll(/^!(.+)$/gm)].map(
  ([, path]) => path,
);
const isCopied = (file: string) => copied.some((path) => file === path || file.startsWith(`${path}/`));

/** What a cluster runs: the services, the jobs, the commands of operators, and the simulated partner of gsb-deps. */
const programs = globSync(
  [
    'services/*/{main,migrate}.ts',
    'deploy/image/jobs/{topics,journey}.ts',
    'deploy/operations/{close-day,replay}.ts',
    'deploy/operations/*/main.ts',
    'deploy/simulators/partner/main.ts',
  ],
  { cwd: root },
).sort();

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

  test.each(programs)('has all that %s imports, with the packages of production alone', (program) => {
    const names = reached(program);
    const strays = names.filter((name) =>
      isFile(name) ? !isCopied(name) : !isBuiltin(name) && !(packageOf(name) in dependencies),
    );
    expect(names.length).toBeGreaterThan(1);
    expect(strays).toEqual([]);
  });
});
