import { counters } from '#libs/runtime/metric-catalog/counters.ts';
import { gauges } from '#libs/runtime/metric-catalog/gauges.ts';
import { histograms } from '#libs/runtime/metric-catalog/histograms.ts';
import { nodeMetrics } from '#libs/runtime/metric-catalog/node.ts';
import type { LabelValues, Metric } from '#libs/runtime/metric-catalog/labels.ts';

const declared: Readonly<Record<string, Metric>> = { ...counters, ...gauges, ...histograms };
const ofNode: Readonly<Record<string, readonly string[]>> = nodeMetrics;
/** Labels that every series has. */
const everywhere = ['service_name', 'deployment_environment_name', 'instance'];

const selector = /(?<![\w:$"])((?:gsb|http_server|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g;
const matchers = /(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g;
const grouping = /\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g;

/** The name that the catalogue has, and what a histogram's part adds to its labels. */
const baseOf = (name: string): { base: string; extra: readonly string[] } => {
  const [, base = name, part] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? [];
  const isPart = part !== undefined && (base in histograms || base in ofNode);
  return isPart ? { base, extra: part === 'bucket' ? ['le'] : [] } : { base: name, extra: [] };
};

const labelsOf = (name: string): readonly string[] | undefined => {
  const { base, extra } = baseOf(name);
  const own = base in declared ? Object.keys(declared[base]?.labels ?? {}) : ofNode[base];
  return own && [...own, ...extra, ...everywhere];
};

const known = ({ emittedBy }: Metric, values: LabelValues): readonly string[] | undefined => {
  if (values === 'games' || values instanceof RegExp) return undefined;
  return typeof values === 'function' ? emittedBy.flatMap((service) => values(service)) : values;
};

/** Whether a label can ever be what is asked for. */
const canMatch = (name: string, label: string, operator: string, wanted: string): boolean => {
  const metric = declared[baseOf(name).base];
  const values = metric?.labels[label];
  const list = metric && values && known(metric, values);
  if (list === undefined || operator.startsWith('!') || wanted.startsWith('$')) return true;
  return operator === '='
    ? list.includes(wanted)
    : list.some((value) => new RegExp(`^(?:${wanted})$`).test(value));
};

const problemsOfSelector = (name: string, inBraces: string): string[] => {
  const labels = labelsOf(name);
  if (labels === undefined) return [`no service measures ${name}`];
  return [...inBraces.matchAll(matchers)].flatMap(([, label = '', operator = '', wanted = '']) => {
    if (!labels.includes(label)) return [`${name} has no label ${label}`];
    return canMatch(name, label, operator, wanted)
      ? []
      : [`${label} of ${name} is never ${operator}"${wanted}"`];
  });
};

/** What is wrong with an expression: metrics that nobody measures, labels that they do not have, values that these never are. */
export const problemsOf = (expression: string): string[] => {
  const found = [...expression.matchAll(selector)].map(([, name = '', inBraces = '']) => ({
    name,
    inBraces,
  }));
  const labels = new Set(['le', ...everywhere, ...found.flatMap(({ name }) => labelsOf(name) ?? [])]);
  const groups = [...expression.matchAll(grouping)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
  return [
    ...found.flatMap(({ name, inBraces }) => problemsOfSelector(name, inBraces)),
    ...(expression.includes('gsb:') || found.length === 0
      ? []
      : groups.filter((label) => !labels.has(label)).map((label) => `nothing in it has the label ${label}`)),
  ];
};

/** Labels of a legend that the expression does not keep. */
export const lostLabels = (expression: string, legend: string): string[] => {
  const kept = new Set(
    [...expression.matchAll(grouping)].flatMap(([, list = '']) =>
      list.split(',').map((label) => label.trim()),
    ),
  );
  return [...legend.matchAll(/\{\{(\w+)\}\}/g)]
    .map(([, label = '']) => label)
    .filter((label) => !kept.has(label))
    .map((label) => `the legend says ${label}, which the expression does not keep`);
};
