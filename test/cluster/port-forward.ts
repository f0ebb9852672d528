import { freePort } from '../../deploy/local/free-port.ts';
import type { Run } from '../../deploy/local/run.ts';
import { namespace } from './programs.ts';
import { within } from './step-report.ts';

/** A way to a service that nothing routes to from outside. */
export const portForward = async ({ run }: { run: Run }, target: string) => {
  const port = await freePort(0);
  const child = run.start({
    name: 'port-forward',
    command: 'kubectl',
    args: ['--namespace', namespace, 'port-forward', target, `${port}:80`],
    log: run.logOf('port-forward'),
    wave: 'service',
  });
  const url = `http://127.0.0.1:${port}`;
  const asked = () =>
    fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      () => true,
      () => false,
    );
  await within(20, target, asked, (answered) => answered);
  return { url, close: () => child.stop(2_000) };
};
