// Grafana's sidecar takes dashboards of the classic schema from ConfigMaps; the SDK calls it deprecated in favour of resources of its API.
/* eslint-disable @typescript-eslint/no-deprecated */
import {
  DashboardBuilder,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  ThresholdsConfigBuilder,
  MappingType,
  VariableHide,
  SpecialValueMatch,
  ThresholdsMode,
  VariableRefresh,
} from '@grafana/grafana-foundation-sdk/dashboard';
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder as HeatmapBuilder } from '@grafana/grafana-foundation-sdk/heatmap';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TextBuilder } from '@grafana/grafana-foundation-sdk/text';
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import {
  BigValueColorMode,
  BigValueGraphMode,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  ReduceDataOptionsBuilder,
  StackingMode,
  StackingConfigBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import { asPaths } from '../links.ts';
import type { BoardLink } from '../links.ts';
import { boards } from './all.ts';
import { boardLinks, runbookLinks, traceLinks } from './board-links.ts';
import type { Board, Limits, Panel, Row } from './types.ts';

const source = { type: 'prometheus', uid: '${datasource}' };
const columns = 24;
const [headerHeight, numberHeight, timelineHeight] = [2, 4, 7];

const nothingLately = 'nothing lately';
/** A quantile of nothing is not a number: at the start, or without traffic. */
const ofNothing = {
  type: MappingType.SpecialValue as const,
  options: { match: SpecialValueMatch.NullAndNan, result: { text: nothingLately, color: 'text' } },
};

const thresholdsOf = ({ warn, alarm, below = false }: Limits): ThresholdsConfigBuilder => {
  const steps = below
    ? [
        { value: null, color: 'red' },
        { value: alarm, color: 'yellow' },
        { value: warn, color: 'green' },
      ]
    : [
        { value: null, color: 'green' },
        { value: warn, color: 'yellow' },
        { value: alarm, color: 'red' },
      ];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
};

/** Limits as lines: without them a timeline does not show where good ends. */
const dashed = () => new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed);

const builderOf = (form: Panel['form']) => {
  if (form === 'number')
    return new StatBuilder()
      .colorMode(BigValueColorMode.Background)
      .graphMode(BigValueGraphMode.None)
      .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
  if (form === 'heatmap') return new HeatmapBuilder();
  const lines = new TimeseriesBuilder().min(0);
  return form === 'stack'
    ? lines.fillOpacity(30).stacking(new StackingConfigBuilder().mode(StackingMode.Normal))
    : lines;
};

const targetsOf = ({ queries, form }: Panel): DataqueryBuilder[] =>
  queries.map(({ expr, legend }, index) => {
    const query = new DataqueryBuilder()
      .refId(String.fromCharCode('A'.charCodeAt(0) + index))
      .expr(expr)
      .legendFormat(legend);
    if (form === 'number') query.instant();
    if (expr.includes('histogram_quantile')) query.exemplar(true);
    return form === 'heatmap' ? query.format(PromQueryFormat.Heatmap) : query;
  });

/** The board that a panel is on, and where the documents are. */
interface Context {
  readonly board: Board;
  readonly docsUrl: string;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const linkTo = ({ title, url, tooltip }: BoardLink): DashboardLinkBuilder =>
  new DashboardLinkBuilder(title).type(DashboardLinkType.Link).url(url).tooltip(tooltip).targetBlank(true);

const panelOf = (panel: Panel, place: Place, { board, docsUrl }: Context) => {
  const builder = builderOf(panel.form)
    .title(panel.title)
    .description(`Good: ${panel.good}`)
    .datasource(source)
    .unit(panel.unit)
    .noValue(nothingLately)
    .mappings([ofNothing])
    .gridPos(place)
    .links(runbookLinks(board, panel, docsUrl).map(linkTo))
    .dataLinks(traceLinks(panel).map(linkTo));
  // What is counted in a range is extrapolated to its ends: ten starts would be 10.04.
  if (panel.form === 'number' && panel.unit === 'short') builder.decimals(0);
  if (panel.limits) builder.thresholds(thresholdsOf(panel.limits));
  if (panel.limits && builder instanceof TimeseriesBuilder) builder.thresholdsStyle(dashed());
  for (const target of targetsOf(panel)) builder.withTarget(target);
  return builder;
};

/** How many panels each line has that a row needs: three at most, or four where a fourth would stand alone, and as many in one as in the others. */
const linesOf = (count: number): number[] => {
  const lines = count <= 4 ? 1 : Math.ceil(count / 3);
  return Array.from({ length: lines }, (_, at) => Math.floor((count + lines - 1 - at) / lines));
};

/** Numbers stand side by side; a row of others has lines that are filled from one side to the other. */
const placesOf = ({ panels }: Row, y: number): { places: Place[]; endY: number } => {
  const isNumbers = panels.every(({ form }) => form === 'number');
  const [lines, h] = isNumbers ? [[panels.length], numberHeight] : [linesOf(panels.length), timelineHeight];
  const places = lines.flatMap((across, line) => {
    const edge = (at: number): number => Math.floor((at * columns) / across);
    return Array.from({ length: across }, (_, at) => ({
      ...{ x: edge(at), y: y + line * h, w: edge(at + 1) - edge(at), h },
    }));
  });
  return { places, endY: y + lines.length * h };
};

const variables = () => [
  new DatasourceVariableBuilder('datasource').label('Prometheus').type('prometheus'),
  // For the links alone.
  new DatasourceVariableBuilder('traces').label('Traces').type('tempo').hide(VariableHide.HideVariable),
  new DatasourceVariableBuilder('logs').label('Logs').type('loki').hide(VariableHide.HideVariable),
  new QueryVariableBuilder('environment')
    .label('Environment')
    .datasource(source)
    .query('label_values(process_start_time_seconds{service_name!=""}, deployment_environment_name)')
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .includeAll(true)
    .allValue('.*')
    .current({ text: 'All', value: '$__all' }),
  new QueryVariableBuilder('game')
    .label('Game')
    .datasource(source)
    .query('label_values(gsb_sessions_started_total, game_id)')
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .includeAll(true)
    .multi(true)
    .allValue('.*')
    .current({ text: 'All', value: '$__all' }),
];

const boardsLink = (): DashboardLinkBuilder =>
  new DashboardLinkBuilder('Boards')
    .type(DashboardLinkType.Dashboards)
    .tags(['gsb'])
    .asDropdown(true)
    .keepTime(true)
    .includeVars(true);

const startOf = ({ board: { uid, title, about }, docsUrl }: Context): DashboardBuilder => {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(about)
    .tags(['gsb'])
    .refresh('30s')
    .time({ from: 'now-3h', to: 'now' })
    .timezone('browser')
    .editable()
    .link(boardsLink());
  for (const each of boardLinks(docsUrl)) builder.link(linkTo(each));
  for (const variable of variables()) builder.withVariable(variable);
  return builder.withPanel(
    new TextBuilder().title('').content(about).gridPos({ x: 0, y: 0, w: columns, h: headerHeight }),
  );
};

/** A board as Grafana's dashboard; `docsUrl`: where its runbooks are published. */
export const buildBoard = (board: Board, { docsUrl } = asPaths): Dashboard => {
  const context = { board, docsUrl };
  const builder = startOf(context);
  let y = headerHeight;
  for (const row of board.rows) {
    builder.withRow(new RowBuilder(row.title).gridPos({ x: 0, y, w: columns, h: 1 }));
    const { places, endY } = placesOf(row, y + 1);
    row.panels.forEach((panel, at) => {
      const place = places[at];
      if (place) builder.withPanel(panelOf(panel, place, context));
    });
    y = endY;
  }
  return builder.build();
};

/** The files of the chart, by name. */
export const boardFiles = (): Record<string, string> =>
  Object.fromEntries(
    boards.map((board) => [
      `${board.uid.replace('gsb-', '')}.json`,
      `${JSON.stringify(buildBoard(board), null, 2)}\n`,
    ]),
  );
