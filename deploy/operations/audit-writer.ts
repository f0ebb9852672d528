import { appendFileSync, readlinkSync } from 'node:fs';

interface Outputs {
  /** The standard error of this process. */
  readonly own: string;
  /** That of the container's first process, which the node collects. */
  readonly container: string;
}

const inLinux: Outputs = { own: '/proc/self/fd/2', container: '/proc/1/fd/2' };

const targetOf = (path: string): string | undefined => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
};

/**
 * Writes lines of the audit to stderr; in a pod also to the log of its container, because what `kubectl exec` shows is the operator's own,
 * and collected by nobody. Throws where that cannot be written.
 */
export const auditWriter = (
  env: NodeJS.ProcessEnv = process.env,
  { own, container }: Outputs = inLinux,
): ((line: string) => void) => {
  const isApart = env['KUBERNETES_SERVICE_HOST'] !== undefined && targetOf(own) !== targetOf(container);
  return (line) => {
    if (isApart) appendFileSync(container, line);
    process.stderr.write(line);
  };
};
