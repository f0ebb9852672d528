import { stringify } from 'yaml';
import { alerts } from './all.ts';
import { recordings } from './burn-rates.ts';
import { slos } from './slos.ts';
import type { Alert } from './types.ts';

/** Where the runbook of an alert stands in the repository. */
export const runbookPath = (name: string): string => `deploy/observability/runbooks/${name}.md`;

const ruleOf = ({ name, expr, severity, owner, summary, board, ...alert }: Alert) => ({
  alert: name,
  expr,
  ...(alert.for !== undefined && { for: alert.for }),
  keep_firing_for: '5m',
  labels: { severity, owner },
  annotations: { summary, runbook_url: runbookPath(name), dashboard_url: `/d/${board}` },
});

const file = (groups: unknown): string => stringify({ groups }, { lineWidth: 0 });

/** The files of Prometheus' rules, by name. */
export const ruleFiles = (): Record<string, string> => ({
  'slo-recordings.yaml': file(
    slos.map((slo) => ({ name: `gsb-slo-${slo.name.replaceAll('_', '-')}`, rules: recordings(slo) })),
  ),
  ...Object.fromEntries(
    Object.entries(alerts).map(([subject, rules]) => [
      `${subject}.yaml`,
      file([{ name: `gsb-${subject}`, rules: rules.map(ruleOf) }]),
    ]),
  ),
});
