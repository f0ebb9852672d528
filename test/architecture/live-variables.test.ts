import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { schema as billingAdapter } from '../../services/billing-adapter/config.ts';
import { schema as gameSession } from '../../services/game-session/config.ts';
import { schema as launcherGateway } from '../../services/launcher-gateway/config.ts';
import { schema as ott } from '../../services/ott/config.ts';
import { schema as settlement } from '../../services/settlement/config.ts';
import { root } from '../charts/renders.ts';

const template = (file: string) => readFileSync(join(root, 'charts/gsb/templates', file), 'utf8');
const variable = /"([A-Z][A-Z0-9]*_[A-Z0-9_]+|PG[A-Z]+|CATALOG)"/g;
/** What no value of the chart decides and no guard looks at. */
const free = ['HEARTBEATS_AWAITED_PER_SEC', 'HEARTBEAT_BILLING_WAIT_MS'];
/** Refused by a sentence of their own. */
const named = ['INSTANCE_ID', 'PGUSER', 'PGPASSWORD'];

const decided = (): string[] => {
  const [, table = ''] = template('_variables.tpl').split('define "gsb.decidedBy" -}}');
  const [lines = ''] = table.split('{{/*');
  return [...lines.matchAll(/^([A-Z][A-Z0-9_]+): /gm), ...lines.matchAll(variable)].map(
    ([, name = '']) => name,
  );
};

describe('live takes from `env` no variable', () => {
  test('that the chart sets, or a service reads, but those that no guard looks at', () => {
    const set = [...template('_env.tpl').matchAll(variable)].map(([, name = '']) => name);
    const schemas = [billingAdapter, gameSession, launcherGateway, ott, settlement];
    const read = schemas.flatMap((schema) => Object.keys(schema.shape));

    const taken = [...new Set([...set, ...read])].filter((name) => !decided().includes(name));

    expect(taken.sort()).toEqual([...free, ...named].sort());
  });
});
