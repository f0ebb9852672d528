import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { z } from 'zod';
import { applyKey, applyLauncherKey } from './apply-keys.ts';
import { derivePcKeys } from './derive-keys.ts';
import {
  apiKeyOptions,
  deriveOptions,
  known,
  launcherKeyOptions,
  operatorKeyOptions,
} from './key-options.ts';
import { newApiKey, newLauncherKey, newOperatorKey } from './new-keys.ts';

const usage = `Makes keys. A key is printed once and kept nowhere: give it to the studio, the cafe or the operator, and store the YAML.

  npm run key -- create --game starfall [--display-name Starfall] [--env dev|qa|live] [--not-after 2027-01-01T00:00:00Z]
      an API key for a game server, and the Game to store; in a Game that exists, its entry of spec.keys (two at most)
  npm run key -- create --launcher --cafe cafe-seoul-01 [--name k2] [--pcs 150] [--shared refused]
      a launcher key for a cafe of so many PCs, as the Secret to store (two at most); refused: only keys of single PCs may sign
  kubectl get secret cafe-seoul-01.k2 -o yaml | npm run key -- derive --machines M-017,M-018
      the keys of single PCs, which are good for these alone; they are derived from the cafe's, and not stored anywhere
  npm run key -- create --operator jisoo --roles statements:read,sessions:read,close-day,dead-letters [--env …] [--not-after …]
        [--cafes cafe-seoul-01,…] [--games starfall,…]
      an operator's key, and the Operator to store; --cafes and --games: the only statements that it may read

  --apply [--namespace gsb]
      stores it too, in the cluster of KUBECONFIG
  npm run key -- --help
`;

/** Quoted so that no YAML reader, the older ones of the Kubernetes world included, takes an id for a number or a date. */
const yaml = (object: unknown): string => stringify(object, { compat: 'yaml-1.1' });

/** The client of the Kubernetes API is loaded only where it is used. */
const kubernetes = async (namespace: string | undefined) => {
  const { connectKeys } = await import('./kubernetes-keys.ts');
  return connectKeys(namespace);
};

const createApiKey = async (given: unknown): Promise<string> => {
  const { game, env, apply, namespace, ...more } = apiKeyOptions.parse(given);
  const { key, stored } = newApiKey({
    ...{ game, env, displayName: more['display-name'], notAfter: more['not-after'] },
    randomBytes: randomBytes(40),
  });
  const shown = `# The API key of ${game}, shown this once:\n${key}\n`;
  if (apply !== true)
    return `${shown}\n# To store; in a Game that exists, only its entry of spec.keys:\n${yaml(stored)}`;
  const displayName = more['display-name'];
  const { games } = await kubernetes(namespace);
  const done = await applyKey(games, stored, displayName === undefined ? {} : { displayName });
  return `${shown}\n# Stored: ${done}\n`;
};

const createOperatorKey = async (given: unknown): Promise<string> => {
  const {
    operator: name,
    apply,
    namespace,
    'not-after': notAfter,
    ...more
  } = operatorKeyOptions.parse(given);
  const { key, stored } = newOperatorKey({ name, notAfter, ...more, randomBytes: randomBytes(40) });
  const shown = `# The key of operator ${name}, shown this once:\n${key}\n`;
  if (apply !== true)
    return `${shown}\n# To store; in an Operator that exists, only its entry of spec.keys:\n${yaml(stored)}`;
  const { keys: _, ...changed } = stored.spec;
  const done = await applyKey((await kubernetes(namespace)).operators, stored, changed);
  return `${shown}\n# Stored: ${done}\n`;
};

const createLauncherKey = async (given: unknown): Promise<string> => {
  const { apply, namespace, cafe, name, pcs, shared } = launcherKeyOptions.parse(given);
  const stored = newLauncherKey({ cafe, name, pcs, shared, secretBytes: randomBytes(32) });
  const done =
    apply === true ? `# Stored: ${await applyLauncherKey(await kubernetes(namespace), stored)}\n` : '';
  return `# The launcher key of ${cafe}, shown this once; to store, and its secret goes to the cafe:\n${yaml(stored)}${done}`;
};

const deriveKeys = async (given: unknown): Promise<string> => {
  const { machines } = deriveOptions.parse(given);
  const keys = derivePcKeys(await text(process.stdin), machines);
  return `# The launcher keys of single PCs, kept nowhere: each goes to its PC\n${yaml(keys)}`;
};

const run = async (args: string[]): Promise<string> => {
  const { values, positionals } = parseArgs({ args, options: known, allowPositionals: true });
  if (values.help === true) return usage;
  if (positionals.join(' ') === 'derive') return deriveKeys(values);
  if (positionals.join(' ') !== 'create') throw new Error('say what to do: create or derive');
  if (values.operator !== undefined) return createOperatorKey(values);
  if (values.game !== undefined) return createApiKey(values);
  if (values.launcher === true || values.cafe !== undefined) return createLauncherKey(values);
  throw new Error('say for whom: --game, --operator, or --launcher and --cafe');
};

const optionOf = ({ path, code, ...issue }: z.core.$ZodIssue): string => {
  const names = code === 'unrecognized_keys' ? (issue as { keys: string[] }).keys : path.map(String);
  return names.map((name) => `--${name}`).join(' and ');
};

/** One line, without the value that was given. */
const explain = (error: unknown): string => {
  if (error instanceof z.ZodError)
    return error.issues
      .map(
        (issue) =>
          `${optionOf(issue)} ${issue.code === 'unrecognized_keys' ? 'does not go with the rest' : issue.message}`,
      )
      .join('; ');
  return String(error instanceof Error ? error.message.split(/\.\s/)[0] : error);
};

try {
  process.stdout.write(await run(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`key: ${explain(error)} (npm run key -- --help says more)\n`);
  process.exitCode = 1;
}
