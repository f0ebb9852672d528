import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { watchFolder } from '#libs/catalog/folder-catalog.ts';
import { createLog } from '#libs/runtime/log.ts';
import { newApiKey, newLauncherKey } from '../../deploy/operations/keys/new-keys.ts';
import { eventually } from '../support/eventually.ts';

const starting = (error: unknown) => {
  throw error;
};
let folder: string;
let watched: ReturnType<typeof watchFolder>;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gsb-catalog-'));
  const own: string[] = [];
  lines = own;
  const log = createLog({ service: 'test', instance: 'test', level: 'info' }, (line) => own.push(line));
  watched = watchFolder(folder, log, 20);
});
afterEach(async () => {
  await watched.stop();
  rmSync(folder, { recursive: true, force: true });
});

const game = (name: string) =>
  stringify(newApiKey({ game: name, env: 'dev', randomBytes: randomBytes(40) }).stored);
const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
const names = () => watched.objects().map(({ metadata }) => metadata.name);
const become = (...wanted: string[]) =>
  eventually(
    async () => names(),
    (now) => now.join() === wanted.join(),
  );
const saying = (text: string) => lines.filter((line) => line.includes(text));
const logged = (text: string) =>
  eventually(
    async () => saying(text).length,
    (count) => count > 0,
  );

describe('a catalog folder', () => {
  test('files come, change and go; other files, empty ones and empty documents are nothing', async () => {
    put('a.yaml', `# nothing yet\n---\n${game('starfall')}---\n---\n${game('moonrise')}---\n`);
    put('empty.yaml', '');
    put('comment.yml', '# only words');
    put('README.md', 'not for us');
    await watched.start(starting);
    expect(names()).toEqual(['starfall', 'moonrise']);

    put('b.yml', game('ironhold'));
    await become('starfall', 'moonrise', 'ironhold');
    put('a.yaml', game('starfall'));
    await become('starfall', 'ironhold');
    rmSync(join(folder, 'b.yml'));
    await become('starfall');
  });

  test('a mounted Kubernetes volume, whose ..data link is turned to a new folder', async () => {
    const version = (name: string, files: Record<string, string>) => {
      mkdirSync(join(folder, name));
      for (const [file, text] of Object.entries(files)) put(join(name, file), text);
      symlinkSync(name, join(folder, '..data_tmp'));
      renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    };
    const [first, second] = [game('starfall'), game('moonrise')];
    version('..2026_11_20_10_00_00.1', { 'one.yaml': first, 'two.yaml': second });
    for (const file of ['one.yaml', 'two.yaml']) symlinkSync(join('..data', file), join(folder, file));
    await watched.start(starting);
    expect(names()).toEqual(['starfall', 'moonrise']);

    version('..2026_11_20_10_01_00.2', { 'one.yaml': first.replaceAll('starfall', 'starrise') });
    await become('starrise');
    unlinkSync(join(folder, 'two.yaml'));
    rmSync(join(folder, '..2026_11_20_10_00_00.1'), { recursive: true });

    version('..2026_11_20_10_02_00.3', { 'one.yaml': first });
    await become('starfall');
    expect(saying('could not be read')).toEqual([]);
  });

  test('a link that leads nowhere is a file that is gone', async () => {
    put('a.yaml', game('starfall'));
    symlinkSync('nowhere.yaml', join(folder, 'gone.yaml'));

    await watched.start(starting);

    expect(names()).toEqual(['starfall']);
  });

  test('a broken file stays as it was and does not hold up the others; it is said once', async () => {
    put('a.yaml', game('starfall'));
    put('b.yaml', game('moonrise'));
    await watched.start(starting);

    put('a.yaml', 'kind: [');
    await logged('a.yaml: is not YAML');
    put('b.yaml', game('ironhold'));
    await become('starfall', 'ironhold');
    expect(saying('a.yaml: is not YAML')).toHaveLength(1);

    put('a.yaml', game('starfall'));
    await logged('the catalogue can be read again');
  });

  test('a broken file and one that conflicts are counted until they are mended', async () => {
    put('a.yaml', game('starfall'));
    await watched.start(starting);
    expect(watched.refused()).toEqual({ file: 0 });

    put('b.yaml', 'kind: [');
    put('c.yaml', game('starfall'));
    await eventually(
      async () => watched.refused(),
      ({ file }) => file === 2,
    );
    rmSync(join(folder, 'b.yaml'));
    rmSync(join(folder, 'c.yaml'));
    await eventually(
      async () => watched.refused(),
      ({ file }) => file === 0,
    );
  });

  test('a broken file does not put a secret in the log', async () => {
    await watched.start(starting);
    const secret = randomBytes(32);
    const stored = newLauncherKey({ cafe: 'cafe-1', name: 'k1', secretBytes: secret });

    for (const broken of [
      `${stringify(stored)} }`,
      stringify(stored).replace('secret: ', 'secret: "\n  - '),
    ]) {
      put('cafe.yaml', broken);
      await logged('cafe.yaml: ');
      put('cafe.yaml', '');
      await logged('can be read again');
      expect(lines.join('')).not.toContain(secret.toString('base64'));
      lines.length = 0;
    }
  });

  test('a folder that is gone for a while leaves what was known', async () => {
    put('a.yaml', game('starfall'));
    await watched.start(starting);

    renameSync(folder, `${folder}.away`);
    await logged('could not be read');
    expect(names()).toEqual(['starfall']);
    renameSync(`${folder}.away`, folder);
    await logged('can be read again');
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['YAML that is none', { 'a.yaml': 'kind: [' }, /a\.yaml: is not YAML \(line 1/],
    ['a key that stands twice in the YAML', { 'a.yaml': `${game('x')}kind: Game\n` }, /DUPLICATE_KEY/],
    ['an unknown kind', { 'a.yaml': 'kind: Toy' }, /a\.yaml: /],
    [
      'a game that stands twice',
      { 'a.yaml': game('x'), 'b.yaml': game('x') },
      /b\.yaml: game x .* in .*a\.yaml/,
    ],
  ])('on start, %s is an error that names the file', async (_, files, problem) => {
    for (const [name, text] of Object.entries(files)) put(name, text);

    await expect(watched.start(starting)).rejects.toThrow(problem);
  });
});
