/**
 * Where links lead that are made here: the chart's files have paths of this repository and of a Grafana, and the chart, or `npm start --
 * --observe`, puts the addresses before them where they are published (`monitoring.docsUrl`, `monitoring.grafanaUrl`).
 */
export interface Published {
  /** Of the files of this repository, without a slash at the end. */
  readonly docsUrl: string;
  /** Of the boards, without a slash at the end. */
  readonly grafanaUrl: string;
}

/** Paths alone. */
export const asPaths: Published = { docsUrl: '', grafanaUrl: '' };

/** Where the runbooks are in the repository. */
export const runbooksFolder = '/deploy/observability/runbooks';
/** The runbook of an alert. */
export const runbookPath = (alert: string): string => `${runbooksFolder}/${alert}.md`;
/** A board. */
export const boardPath = (uid: string): string => `/d/${uid}`;

/** A link of a board or panel. */
export interface BoardLink {
  readonly title: string;
  readonly url: string;
  /** What it leads to, in a sentence. */
  readonly tooltip: string;
}

/** JSON for an address, in which Grafana still finds its variables. */
const inAddress = (value: unknown): string =>
  encodeURIComponent(JSON.stringify(value)).replaceAll(/%24%7B(\w+)%7D/g, (_, name) => `\${${name}}`);

/** Grafana's Explore for the time that the board shows. `source`: the variable with the data source. */
const explore = (source: 'traces' | 'logs', query: Readonly<Record<string, string>>): string => {
  const datasource = { type: source === 'traces' ? 'tempo' : 'loki', uid: `\${${source}}` };
  const range = { from: '${__from}', to: '${__to}' };
  const pane = {
    datasource: `\${${source}}`,
    queries: [{ refId: 'A', datasource, ...query }],
    range,
  };
  return `/explore?schemaVersion=1&panes=${inAddress({ [source]: pane })}`;
};

/** Traces by TraceQL, such as `{ status = error }`. */
export const tracesOf = (traceql: string): string =>
  explore('traces', { queryType: 'traceql', query: traceql });

/** Lines of logs by LogQL. */
export const logsOf = (logql: string): string => explore('logs', { expr: logql });
