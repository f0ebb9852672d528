import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes into the catalog of a stack that a game refuses play on credit (D-12). */
export const refuseOnCredit = (dir: string, gameId: string): void => {
  const folder = join(dir, 'catalog');
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8');
    if (text.includes(`name: ${gameId}`))
      writeFileSync(join(folder, name), text.replace('outagePolicy: continue', 'outagePolicy: refuse'));
  }
};
