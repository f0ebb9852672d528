import { services } from '#libs/runtime/metric-catalog/labels.ts';
import { logsOf, runbookPath, runbooksFolder, tracesOf } from '../links.ts';
import type { BoardLink } from '../links.ts';
import { judgedBy } from './judged-by.ts';
import type { Board, Panel } from './types.ts';

const here = 'resource.deployment.environment.name =~ "${environment}"';
/** Slower than this is worth a look where a panel has no limit of its own. */
const slowSec = 0.5;

/** What stands on top of every board. */
export const boardLinks = (docsUrl: string): BoardLink[] => [
  {
    title: 'Failed traces',
    url: tracesOf(`{ ${here} && status = error }`),
    tooltip: 'What failed in the time that the board shows; slow verifies and failures are always kept.',
  },
  {
    title: 'Warnings in the logs',
    url: logsOf(`{service_name=~"${services.all.join('|')}"} | json | level=~"warn|error"`),
    tooltip: 'What all services have logged beside their work, in the time that the board shows.',
  },
  {
    title: 'Runbooks',
    url: docsUrl + runbooksFolder,
    tooltip: 'What to do about each alert.',
  },
];

/** The runbooks of the alerts that judge by what a panel shows. */
export const runbookLinks = (board: Board, panel: Panel, docsUrl: string): BoardLink[] =>
  judgedBy(board, panel).map((alert) => ({
    title: alert,
    url: docsUrl + runbookPath(alert),
    tooltip: `What to do when ${alert} fires, which judges by this.`,
  }));

/** The spans that a histogram of requests is about, by its selector. */
const spansOf = (expr: string): string | undefined => {
  const [, route] = /http_server_request_duration_seconds_bucket\{[^}]*http_route="([^"]+)"/.exec(expr) ?? [];
  if (route !== undefined) return `span.http.route = "${route}"`;
  if (expr.includes('http_server_request_duration_seconds_bucket')) return 'kind = server';
  const [, operation] =
    /gsb_partner_request_duration_seconds_bucket\{[^}]*operation="(\w+)"/.exec(expr) ?? [];
  if (operation !== undefined) return `name = "partner ${operation}"`;
  return expr.includes('gsb_partner_request_duration_seconds_bucket') ? 'name =~ "partner .*"' : undefined;
};

/** From how long something takes to those that took long. */
export const traceLinks = ({ queries, limits }: Panel): BoardLink[] => {
  const [spans] = queries.flatMap(({ expr }) => spansOf(expr) ?? []);
  if (spans === undefined) return [];
  const slowMs = (limits?.warn ?? slowSec) * 1000;
  return [
    {
      title: 'Slow traces',
      url: tracesOf(`{ ${here} && ${spans} && duration > ${slowMs}ms }`),
      tooltip: `Those that took longer than ${slowMs} ms.`,
    },
  ];
};
