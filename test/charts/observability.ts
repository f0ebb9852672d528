import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promtoolTests } from '../../deploy/observability/alerts/promtool-tests.ts';
import { onPath, run } from './programs.ts';
import { root } from './renders.ts';

const folder = join(root, 'charts/gsb/files/rules');
const ruleFiles = (): string[] => readdirSync(folder).map((file) => join(folder, file));

const deadlineMs = 300_000;

const promtool = async (...args: string[]): Promise<string[]> => {
  const { code, stdout, stderr } = await run('promtool', args, { timeoutMs: deadlineMs });
  return code === 0 ? [] : [`promtool ${args.slice(0, 2).join(' ')}: ${stderr}${stdout}`];
};

/** Each alert fires at the series that are to make it fire, and rests at the others. */
const testRules = async (): Promise<string[]> => {
  const dir = mkdtempSync(join(tmpdir(), 'gsb-rules-'));
  try {
    const tests = Object.entries(promtoolTests(folder)).map(([name, text]) => {
      writeFileSync(join(dir, name), text);
      return join(dir, name);
    });
    return (await Promise.all(tests.map((path) => promtool('test', 'rules', path)))).flat();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

/** What Prometheus' own tool says of the rules: their syntax, and whether each alert fires and rests when it is to. Nothing where it is not at hand. */
export const judgeRules = async (): Promise<string[]> =>
  onPath('promtool') ? [...(await promtool('check', 'rules', ...ruleFiles())), ...(await testRules())] : [];
