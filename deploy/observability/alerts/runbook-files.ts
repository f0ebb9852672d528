import { boards } from '../boards/all.ts';
import { alertsAndCluster } from './all.ts';
import { firesWithinMin } from './fires-within.ts';
import { inACluster } from './in-a-cluster.ts';
import type { Alert } from './types.ts';

const isCommand = (line: string): boolean => /^`[^`]+`$/.test(line);

/** Each runbook says it: who is paged at night opens that one alone. */
const whereCommandsRun =
  'The commands run in a checkout beside `npm start`. In a cluster they need [addresses and a key](../README.md); those of `npm run` run [in a pod](../../../charts/gsb/README.md#from-a-pod).';

/** Sentences as they are; commands as blocks that can be copied. */
const paragraphs = (lines: readonly string[]): string =>
  lines.map((line) => (isCommand(line) ? `\`\`\`sh\n${line.slice(1, -1)}\n\`\`\`` : line)).join('\n\n');

/** A summary of whichever service, game or topic it is. */
const inGeneral = (summary: string): string => {
  const general = summary.replace(/\{\{ \$labels\.(\w+?)(?:_name|_id)? \}\}/g, 'the $1');
  return general.charAt(0).toUpperCase() + general.slice(1);
};

const commandsOf = ({ runbook }: Alert): string[] =>
  [...runbook.diagnosis, ...runbook.mitigation].filter(isCommand).map((line) => line.slice(1, -1));

const firesLine = (alert: Alert): string =>
  `Fires within ${firesWithinMin(alert)} min of a fault that lasts and hits everybody.`;

const runbookOf = (alert: Alert): string => {
  const { name, summary, owner, board, runbook } = alert;
  const { title } = boards.find(({ uid }) => uid === board) ?? { title: board };
  const { meaning, impact, diagnosis, mitigation } = runbook;
  return [
    `# ${name}`,
    `${inGeneral(summary)} Owner: ${owner}. Board: ${title}.`,
    ...['## Meaning', meaning, firesLine(alert), '## Impact', impact],
    ...['## Diagnosis', paragraphs(diagnosis), '## Mitigation', paragraphs(mitigation)],
    ...inACluster(commandsOf(alert)),
    whereCommandsRun,
  ].join('\n\n');
};

/** The commands of all runbooks, each once. */
export const runbookCommands = (): string[] => [
  ...new Set(Object.values(alertsAndCluster).flat().flatMap(commandsOf)),
];

/** The runbooks, by file name; an alert of two severities has one. */
export const runbookFiles = (): Record<string, string> =>
  Object.fromEntries(
    Object.values(alertsAndCluster)
      .flat()
      .map((alert) => [`${alert.name}.md`, `${runbookOf(alert)}\n`]),
  );
