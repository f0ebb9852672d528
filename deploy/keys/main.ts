import { randomBytes, randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { z } from 'zod';
import { hashApiKey, mintApiKey } from '#libs/catalog/api-key.ts';
import { cafeId, gameId } from '#libs/contracts/fields.ts';

const usage = `Makes keys. A key is printed once and stored nowhere: give it to the studio or the cafe, and store the YAML.

  npm run key -- create --game starfall [--env dev|qa|live] [--not-after 2027-01-01T00:00:00Z]
      an API key for a game server, and the entry for the Game's spec.keys
  npm run key -- create --cafe cafe-seoul-01 [--name k2]
      a launcher key for a cafe, as the Secret to store
`;

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const shortId = () => Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('');

const options = z
  .object({
    game: gameId.optional(),
    cafe: cafeId.optional(),
    env: z.enum(['dev', 'qa', 'live'], 'must be dev, qa or live').default('dev'),
    name: z
      .string()
      .regex(/^[a-z0-9-]{1,32}$/, 'must be lower-case letters, digits and dashes')
      .default('k1'),
    'not-after': z.iso.datetime({ error: 'must be RFC 3339, in UTC' }).optional(),
  })
  .refine(({ game, cafe }) => (game === undefined) !== (cafe === undefined), 'name either --game or --cafe');

type Options = z.output<typeof options>;

const apiKey = (game: string, { env, 'not-after': notAfter }: Options): string => {
  const id = shortId();
  const key = mintApiKey({ env, shortId: id, secretBytes: randomBytes(32) });
  const entry = { id, sha256: hashApiKey(key), ...(notAfter !== undefined && { notAfter }) };
  return `# The key of ${game}, shown this once:\n${key}\n\n# For spec.keys of the Game "${game}" (at most two keys are live):\n${stringify([entry])}`;
};

const launcherKey = (cafe: string, { name }: Options): string => {
  const metadata = { name: `${cafe}.${name}`, labels: { 'gsb.dev/launcher-key': 'true' } };
  const stringData = { cafe_id: cafe, secret: randomBytes(32).toString('base64') };
  return `# The launcher key of ${cafe}; its secret also goes to the cafe, once:\n${stringify({ apiVersion: 'v1', kind: 'Secret', metadata, stringData })}`;
};

const run = (): string => {
  const names = Object.fromEntries(
    ['game', 'cafe', 'env', 'name', 'not-after'].map((name) => [name, { type: 'string' }] as const),
  );
  const { values, positionals } = parseArgs({
    options: { ...names, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.help === true) return usage;
  if (positionals.join(' ') !== 'create') throw new Error('say what to do: create');
  const given = options.parse(values);
  return given.game === undefined ? launcherKey(given.cafe ?? '', given) : apiKey(given.game, given);
};

const explain = (error: unknown): string => {
  if (!(error instanceof z.ZodError)) return error instanceof Error ? error.message : String(error);
  return error.issues
    .map(({ path, message }) => `${path.map((name) => `--${String(name)}: `).join('')}${message}`)
    .join('\n');
};

try {
  process.stdout.write(run());
} catch (error) {
  process.stderr.write(`${explain(error)}\n\n${usage}`);
  process.exitCode = 1;
}
