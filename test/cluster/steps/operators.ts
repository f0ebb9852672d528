import { kubectl } from '../programs.ts';
import type { ContextWithoutPlayers } from '../cluster-context.ts';
import { must } from '../step-report.ts';

/** Runs a command of operators in a pod of settlement, as the chart's README says. */
const inPod = (key: string, ...command: string[]): Promise<string> =>
  kubectl(
    ['exec', '-i', 'deployment/gsb-settlement', '--', '/nodejs/bin/node', ...command, '--key-stdin'],
    `${key}\n`,
  );

/** Dead letters can be listed, and the ledger compared with the log, from a pod. */
export const operate = ({ report, stores: { operatorKey } }: ContextWithoutPlayers): Promise<boolean> =>
  report.step('operators list dead letters and replay the day from a pod', async () => {
    const listed = await inPod(operatorKey, 'deploy/operations/dead-letters/main.ts', 'list');
    must(listed.startsWith('0 dead letters'), listed);
    const replayed = await inPod(operatorKey, 'deploy/operations/replay.ts', '--day', 'today');
    must(replayed.startsWith('identical'), replayed);
    return replayed.trim();
  });
