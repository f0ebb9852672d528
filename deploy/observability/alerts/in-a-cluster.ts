const kubectl = 'kubectl --namespace gsb';
const aConsole = [
  `${kubectl} create job console-1 --from=cronjob/gsb-console`,
  `${kubectl} wait --for=condition=Ready pod --selector job-name=console-1`,
];

const run = (where: string, command: string): string =>
  `${kubectl} exec -i ${where} -- /nodejs/bin/node deploy/operations/${command} --key-stdin <<<"$OPERATOR_KEY"`;

const agreeAt: Readonly<Record<string, string>> = {
  'game-sessions': 'deployment/gsb-game-session',
  'launcher-sessions': 'deployment/gsb-launcher-gateway',
};

/** A day is closed by a Job: its role in Postgres is nobody else's (D-53). */
const closings = [
  '# yesterday once more',
  `${kubectl} create job close-again --from=cronjob/gsb-close-day`,
  '# a day of which the partner has no statement',
  [
    `${kubectl} create job close-without-partner --from=cronjob/gsb-close-day --dry-run=client --output yaml \\`,
    "  | sed -e 's/- --day$/- --without-partner/' -e 's/- yesterday$/- --day=2026-11-20/' | kubectl create --filename -",
  ].join('\n'),
];

/** What stands for a command of npm in a cluster, one line or more; nothing for one that needs none, as it only prints. */
const forms: Readonly<Record<string, (args: string) => string[]>> = {
  'dead-letters': (args) => [...aConsole, run('job/console-1', `dead-letters/main.ts ${args}`)],
  replay: (args) => [run('deployment/gsb-settlement', `replay.ts ${args}`)],
  agree: (args) => [run(agreeAt[args] ?? '', `agree.ts ${args}`)],
  'close-day': () => closings,
  key: () => [],
};

const whoMay =
  'In the release `gsb` of the namespace `gsb`. Jobs are made by whom `operators.mayRunJobs` names; a console lives for an hour, and has to be made but once.';

/** The lines that do in a cluster what the commands of npm do in a checkout, each once. Throws on a command that it does not know. */
export const clusterLines = (commands: readonly string[]): string[] => {
  const lines = commands.flatMap((command) => {
    const [, name, args = ''] = /^npm run ([\w-]+) -- (.+)$/.exec(command) ?? [];
    if (name === undefined) return [];
    const form = forms[name];
    if (form === undefined) throw new Error(`${command} has no form in a cluster`);
    return form(args);
  });
  return [...new Set(lines)];
};

/** The part of a runbook that says them; empty where there are none. */
export const inACluster = (commands: readonly string[]): string[] => {
  const lines = clusterLines(commands);
  if (lines.length === 0) return [];
  return ['## In a cluster', whoMay, `\`\`\`sh\n${lines.join('\n')}\n\`\`\``];
};
