import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createRun } from '../local/run.ts';
import { startStack } from '../local/stack.ts';
import { documents, written } from './api-documents.ts';
import { playExchanges } from './readme-exchanges.ts';
import type { Exchange } from './readme-exchanges.ts';

const readme = resolve(import.meta.dirname, '../../README.md');
const [begin, finish] = ['<!-- exchanges: written by deploy/generate/main.ts -->', '<!-- /exchanges -->'];
const print = (line: string) => void process.stderr.write(`${line}\n`);

const shown = (exchanges: readonly Exchange[]): string =>
  exchanges.map(({ title, sent, received }) => `# ${title}\n> ${sent}\n< ${received}`).join('\n\n');

const replaced = (text: string, section: string): string => {
  const [before, rest] = text.split(begin);
  const after = rest?.split(finish)[1];
  if (before === undefined || after === undefined) throw new Error('README.md has lost its markers');
  return `${before}${begin}\n\n\`\`\`\n${section}\n\`\`\`\n\n${finish}${after}`;
};

const api = resolve(import.meta.dirname, 'api');
for (const [name, document] of Object.entries(documents())) writeFileSync(join(api, name), written(document));
print('✓ deploy/generate/api: OpenAPI and AsyncAPI, from the contracts');

/** Writes the README's "What a game server sees" from a real stack: `deploy/generate/main.ts`. */
const dir = mkdtempSync(join(tmpdir(), 'gsb-docs-'));
const run = createRun(dir);
try {
  const stack = await startStack({ dir, run, print, ports: 'free', settings: {} });
  writeFileSync(readme, replaced(readFileSync(readme, 'utf8'), shown(await playExchanges(stack.facts()))));
  print('✓ README.md: what a game server sees');
} finally {
  await run.stop();
  rmSync(dir, { recursive: true, force: true });
}
