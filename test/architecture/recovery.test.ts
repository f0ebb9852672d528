import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const chart = resolve(import.meta.dirname, '../../charts/gsb');
const textOf = (file: string): string => readFileSync(join(chart, file), 'utf8');

interface Values {
  readonly postgres?: object;
  readonly trust?: { readonly secrets: readonly { readonly name: string }[] };
}

/** Where values name a server of Postgres, or the Cluster that it belongs to. */
const serversIn = (values: object, at = ''): [key: string, name: unknown][] =>
  Object.entries(values).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value === 'object' && value !== null) return serversIn(value, `${at}${key}.`);
    return ['host', 'cluster'].includes(key) ? [[`${at}${key}`, value]] : [];
  });

const told = [...textOf('RECOVERY.md').matchAll(/```yaml\n([^]*?)```/g)]
  .map(([, block]) => parse(block ?? '') as Values)
  .find(({ trust }) => trust !== undefined);

describe('when the ledger is restored into another Cluster, RECOVERY.md leads', () => {
  test('everything that named a server of the lost one to the new one', () => {
    const keys = serversIn((parse(textOf('values.yaml')) as Required<Values>).postgres).map(([key]) => key);

    const servers = serversIn(told?.postgres ?? {});

    expect(servers.map(([key]) => key).toSorted()).toEqual(keys.toSorted());
    expect(servers.filter(([, name]) => !String(name).startsWith('ledger-2'))).toEqual([]);
  });

  test('pods to trust its authority, which is not that of the lost one', () => {
    expect(told?.trust?.secrets.map(({ name }) => name)).toContain('ledger-2-ca');
  });
});
