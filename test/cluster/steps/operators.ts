import { run } from '../../charts/programs.ts';
import { kubectl, namespace } from '../programs.ts';
import type { ContextWithoutPlayers } from '../cluster-context.ts';
import { must } from '../step-report.ts';

const command = (part: string, ...args: string[]) => [
  ...['exec', '-i', `deployment/gsb-${part}`, '--', '/nodejs/bin/node', ...args, '--key-stdin'],
];

/** Runs a command of operators in a pod of settlement, as the chart's README says. */
const inPod = (key: string, ...args: string[]): Promise<string> =>
  kubectl(command('settlement', ...args), `${key}\n`);

/** Dead letters can be listed, and the ledger compared with the log, from a pod. */
export const operate = ({ report, stores: { operatorKey } }: ContextWithoutPlayers): Promise<boolean> =>
  report.step('operators list dead letters and replay the day from a pod', async () => {
    const listed = await inPod(operatorKey, 'deploy/operations/dead-letters/main.ts', 'list');
    must(listed.startsWith('0 dead letters'), listed);
    const replayed = await inPod(operatorKey, 'deploy/operations/replay.ts', '--day', 'today');
    must(replayed.startsWith('identical'), replayed);
    return replayed.trim();
  });

const jisoo = { kind: 'ServiceAccount', name: 'jisoo', namespace };
const who = `system:serviceaccount:${namespace}:jisoo`;
const subject = Object.entries(jisoo).map(([key, value]) => `operators.subjects[0].${key}=${value}`);

/** Whether the API server would let them run a command in a pod. kubectl exec reads the Deployment first, and is refused that as well. */
const mayExec = async (verb: string): Promise<boolean> => {
  const asked = ['auth', 'can-i', verb, 'pods', '--subresource=exec'];
  const { stdout } = await run('kubectl', [...asked, `--as=${who}`, '--namespace', namespace]);
  must(/^(yes|no)/.test(stdout), stdout);
  return stdout.startsWith('yes');
};

/** What else they run, by the rights that the chart gives to `operators.subjects` alone. */
export const operateByRights = async (context: ContextWithoutPlayers): Promise<void> => {
  const { report, release, place, sessions, stores } = context;
  const asJisoo = (part: string, ...args: string[]) =>
    run('kubectl', [`--as=${who}`, '--namespace', namespace, ...command(part, ...args)], {
      input: `${stores.operatorKey}\n`,
      timeoutMs: 60_000,
    });
  await report.step('kubectl lets nobody run a command whom operators.subjects does not name', async () => {
    await kubectl(['create', 'serviceaccount', jisoo.name]);
    const { code, stderr } = await asJisoo('settlement', 'deploy/operations/dead-letters/main.ts', 'list');
    must(code !== 0 && stderr.includes('cannot get resource'), stderr);
    for (const verb of ['get', 'create']) must(!(await mayExec(verb)), `may ${verb} pods/exec`);
    return undefined;
  });
  await report.step(
    'whom it names closes the day for a look, tells a story, erases and agrees, from pods',
    async () => {
      await release.upgrade(place.GSB_IMAGE.tag, subject);
      const told: string[] = [];
      const expect = async (says: string, part: string, ...args: string[]) => {
        const { code, stdout, stderr } = await asJisoo(part, ...args);
        must(code === 0 && (stdout + stderr).includes(says), `${args.join(' ')}: ${code} ${stdout}${stderr}`);
        told.push(says);
      };
      const id = sessions[0]?.id ?? '';
      await expect(
        'preview, nothing is closed',
        'settlement',
        'deploy/operations/close-day.ts',
        '--day',
        'today',
        '--preview',
        '--without-partner',
      );
      if (id !== '') await expect(id, 'settlement', 'deploy/operations/session/main.ts', id);
      await expect(
        'would erase the player from 0 of',
        'settlement',
        'deploy/operations/erase.ts',
        '--user',
        'nobody',
        '--dry-run',
      );
      await expect('agreed for ten minutes', 'game-session', 'deploy/operations/agree.ts', 'game-sessions');
      return `${told.length} commands`;
    },
  );
};
