import type { z } from 'zod';

/** The environment variables are invalid. The message lists every problem by variable name, never a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const reasonOf = (issue: z.core.$ZodIssue, isSet: boolean): string => (isSet ? issue.message : 'is not set');

const describeProblems = (issues: readonly z.core.$ZodIssue[], env: NodeJS.ProcessEnv): string =>
  issues
    .map((issue) => ({ issue, name: String(issue.path[0] ?? 'environment') }))
    .map(
      ({ issue, name }) => `${name}: ${reasonOf(issue, env[name] !== undefined || issue.code === 'custom')}`,
    )
    .join('\n');

/** Reads the environment by a schema whose keys are variable names; an empty variable counts as unset. Throws ConfigError with all problems. */
export const readConfig = <C>(schema: z.ZodType<C>, env: NodeJS.ProcessEnv): C => {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== '' && value !== undefined),
  );
  const result = schema.safeParse(given);
  if (!result.success) throw new ConfigError(describeProblems(result.error.issues, given));
  return result.data;
};
