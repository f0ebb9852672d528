import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGameServer } from '#simulators/game-server/game-server.ts';
import { createLauncher } from '#simulators/launcher/launcher.ts';
import { readStack } from '#simulators/stack-file.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { cached, execute, onPath } from '../../deploy/local/cache.ts';

const version = '4.32.5';
const examplesEach = 50;
/** A busy machine takes four times as long as an idle one. */
const mostMs = 200_000;
/** Every check of schemathesis; of valid requests these refusals are expected beside a success. */
const settings = `
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 401, 403, 404, 409, 410, 422, 429]
`;

/** One run of schemathesis: which operations of which API, and as whom. */
interface Round {
  readonly name: string;
  readonly url: string;
  readonly only: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Examples of the document, and what is true of them on this stack. */
  readonly truths?: Readonly<Record<string, string>>;
  /** Signed by schemathesis_signs.py with this launcher key. */
  readonly signer?: { readonly GSB_KEY_ID: string; readonly GSB_SECRET: string };
}

/** What a round found; `text` is what schemathesis printed. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
}

/** With which Python, and until when (by the process's own clock, in ms). */
interface Player {
  readonly python: string;
  readonly seed: number;
  readonly giveUpAt: number;
}

/** The Python that has schemathesis, in a virtual environment of the cache folder. Undefined where there can be none; why is said. */
export const findSchemathesis = async (print: (line: string) => void): Promise<string | undefined> => {
  if (onPath('python3') === undefined) {
    print('python3 is not on the PATH');
    return undefined;
  }
  try {
    const folder = await cached(`schemathesis-${version}`, async (building) => {
      await execute('python3', ['-m', 'venv', building]);
      const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
      const what = [...install, `schemathesis==${version}`];
      await execute(join(building, 'bin', 'python'), what, { timeout: 120_000 });
    });
    return join(folder, 'bin', 'python');
  } catch (error) {
    print(`python3 cannot install schemathesis: ${String(error).split('\n', 3).join(' ')}`);
    return undefined;
  }
};

const dataOf = <T>(answer: { ok: true; data: T } | { ok: false; code: string }): T => {
  if (!answer.ok) throw new Error(`the stack answered ${answer.code}`);
  return answer.data;
};

/** A launcher that has just sat down at the first cafe, and its token. */
const sitDown = async ({ launcher: { url }, cafes: [cafe] }: StackFacts) => {
  if (cafe === undefined) throw new Error('the stack has no cafe');
  const { cafe_id: cafeId, key_id: keyId, ips } = cafe;
  const secret = Buffer.from(cafe.secret, 'base64');
  const clientIp = ips[0] ?? '';
  const launcher = createLauncher({
    url,
    clientIp,
    cafe: { cafeId, keyId, secret },
    machineId: randomUUID(),
  });
  const { sessionToken } = dataOf(await launcher.start());
  const from = { 'X-Forwarded-For': clientIp };
  const bearer = { ...from, Authorization: `Bearer ${sessionToken}` };
  return { launcher, from, bearer, signer: { GSB_KEY_ID: keyId, GSB_SECRET: cafe.secret } };
};

/** The game servers' API, with a player in a game and a token that nobody has used: so the document's examples are true. */
const gameRound = async (stack: StackFacts): Promise<Round> => {
  const [game] = stack.game.games;
  const apiKey = game?.api_keys[0] ?? '';
  const [seated, waiting] = [await sitDown(stack), await sitDown(stack)];
  const tokenOf = async ({ launcher }: typeof seated) =>
    dataOf(await launcher.requestOtt(game?.game_id ?? '')).ott;
  const server = createGameServer({ url: stack.game.url, apiKey });
  const verified = dataOf(await server.verify(await tokenOf(seated), '76561198000000001'));
  if (!verified.isValid) throw new Error(`the stack answered ${verified.reason}`);
  const truths = {
    'gs_3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47': verified.gameSessionId,
    '9b2f6f0a-5f5e-4a8b-8d0f-3a6f0b1c2d3e': await tokenOf(waiting),
  };
  const only = ['verify', 'heartbeat', 'end'];
  return { name: 'game servers', url: stack.game.url, only, headers: { 'X-Api-Key': apiKey }, truths };
};

const launcherRounds = async (stack: StackFacts): Promise<Round[]> => {
  const { from, bearer, signer } = await sitDown(stack);
  const url = stack.launcher.url;
  const common = { url, headers: bearer };
  return [
    { name: 'launchers, signed', url, only: ['session-start'], headers: from, signer },
    { name: 'launchers, not signed', url, only: ['session-start'], headers: from },
    { ...common, name: 'launchers, with a token', only: ['session-heartbeat', 'ott'] },
    { ...common, name: 'launchers, leaving', only: ['session-end'] },
  ];
};

/** The API's own document. Where every request is signed for schemathesis, the signature is none of its business. */
const documentOf = async ({ url, truths = {}, signer }: Round): Promise<string> => {
  const response = await fetch(`${url}/openapi.json`);
  const text = Object.entries(truths).reduce(
    (known, [example, truth]) => known.replaceAll(JSON.stringify(example), JSON.stringify(truth)),
    await response.text(),
  );
  const without = (key: string, value: unknown) => (key === 'security' ? undefined : value);
  return signer ? JSON.stringify(JSON.parse(text), without) : text;
};

const play = async ({ python, seed, giveUpAt }: Player, round: Round): Promise<Finding> => {
  const { name, url, only, headers, signer } = round;
  const cwd = mkdtempSync(join(tmpdir(), 'gsb-schemathesis-'));
  try {
    writeFileSync(join(cwd, 'openapi.json'), await documentOf(round));
    writeFileSync(join(cwd, 'schemathesis.toml'), settings);
    const what = only.flatMap((id) => ['--include-operation-id', id]);
    const who = Object.entries(headers).flatMap(([header, value]) => ['--header', `${header}: ${value}`]);
    const how = `--checks all --max-examples ${examplesEach} --seed ${seed} --continue-on-failure --no-color`;
    const quiet = '--generation-database none';
    const args = ['run', 'openapi.json', '--url', url, ...what, ...who, ...`${how} ${quiet}`.split(' ')];
    const hooks = { PYTHONPATH: import.meta.dirname, SCHEMATHESIS_HOOKS: 'schemathesis_signs' };
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...(signer && { ...hooks, ...signer }) };
    const options = {
      cwd,
      env,
      timeout: Math.max(1, Math.round(giveUpAt - performance.now())),
      maxBuffer: 16_777_216,
    };
    const { stdout } = await execute(python, ['-m', 'schemathesis.cli', ...args], options);
    return { name, ok: true, text: stdout };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { name, ok: false, text: stdout + stderr || String(error) };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
};

/** Runs schemathesis against the game servers' and the launchers' API of a running stack, a round after another, within a minute. */
export const fuzz = async (python: string, stack: StackFacts, seed: number): Promise<Finding[]> => {
  const player = { python, seed, giveUpAt: performance.now() + mostMs };
  const findings = [await play(player, await gameRound(stack))];
  for (const round of await launcherRounds(stack)) findings.push(await play(player, round));
  return findings;
};

/** A seed to print, and to give again. */
export const newSeed = (): number => randomInt(1, 2 ** 31);

if (import.meta.main) {
  const [path = '.local/stack.json', given] = process.argv.slice(2);
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const python = await findSchemathesis(print);
  if (python === undefined) process.exit(0);
  const seed = given === undefined ? newSeed() : Number(given);
  print(`seed ${seed}`);
  const findings = await fuzz(python, await readStack(path), seed);
  for (const { name, ok, text } of findings) print(`${ok ? '✓' : '✕'} ${name}\n${text}`);
  process.exitCode = findings.every(({ ok }) => ok) ? 0 : 1;
}
