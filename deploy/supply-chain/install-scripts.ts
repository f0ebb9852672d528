import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const packageFile = z.object({ allowScripts: z.record(z.string(), z.boolean()) });
const lockFile = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) });

const read = <T>(schema: z.ZodType<T>, file: string): T =>
  schema.parse(JSON.parse(readFileSync(file, 'utf8')));

/** The packages that may run a script when they are installed, and those of them that the image would have. */
export const allowedScripts = (root: string): { allowed: string[]; inProduction: string[] } => {
  const { allowScripts } = read(packageFile, join(root, 'package.json'));
  const { packages } = read(lockFile, join(root, 'package-lock.json'));
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  const isProduction = (name: string) =>
    Object.entries(packages).some(([path, { dev }]) => path.endsWith(`node_modules/${name}`) && dev !== true);
  return { allowed, inProduction: allowed.filter(isProduction) };
};

/** What is wrong with them: a script without a reason, a reason without a script, or a script that the image would need and does not run. */
export const scriptProblems = (
  { allowed, inProduction }: ReturnType<typeof allowedScripts>,
  reasons: Readonly<Record<string, string>>,
): string[] => [
  ...allowed.filter((name) => !(name in reasons)).map((name) => `${name} may run scripts without a reason`),
  ...Object.keys(reasons)
    .filter((name) => !allowed.includes(name))
    .map((name) => `${name} has a reason for scripts that it may not run`),
  ...inProduction.map((name) => `${name} is in the image, where no script runs`),
];
