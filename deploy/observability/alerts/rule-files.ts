import { stringify } from 'yaml';
import { asPaths, boardPath, runbookPath } from '../links.ts';
import type { Published } from '../links.ts';
import { alertsAndCluster } from './all.ts';
import { recordings } from './burn-rates.ts';
import { measuredSlos } from './slos.ts';
import type { Alert } from './types.ts';

/** Of an alert that tells its environment. */
const ofItsEnvironment = '{{ with $labels.deployment_environment_name }}?var-environment={{ . }}{{ end }}';

const ruleOf = (
  { name, expr, severity, owner, summary, board, ...alert }: Alert,
  { docsUrl, grafanaUrl }: Published,
) => ({
  alert: name,
  expr,
  ...(alert.for !== undefined && { for: alert.for }),
  keep_firing_for: '5m',
  labels: { severity, owner },
  annotations: {
    summary,
    runbook_url: docsUrl + runbookPath(name),
    dashboard_url: `${grafanaUrl}${boardPath(board)}${ofItsEnvironment}`,
  },
});

const file = (groups: unknown): string => stringify({ groups }, { lineWidth: 0 });

/** The files of Prometheus' rules, by name. */
export const ruleFiles = (published = asPaths): Record<string, string> => ({
  'slo-recordings.yaml': file(
    measuredSlos.map((slo) => ({ name: `gsb-slo-${slo.name.replaceAll('_', '-')}`, rules: recordings(slo) })),
  ),
  ...Object.fromEntries(
    Object.entries(alertsAndCluster).map(([subject, rules]) => [
      `${subject}.yaml`,
      file([{ name: `gsb-${subject}`, rules: rules.map((each) => ruleOf(each, published)) }]),
    ]),
  ),
});
