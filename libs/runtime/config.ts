import type { z } from 'zod';

/** The environment variables are invalid. The message lists every problem by variable name, never a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const describeProblem = (issue: z.core.$ZodIssue, env: NodeJS.ProcessEnv): string => {
  const name = String(issue.path[0] ?? 'environment');
  const isSet = env[name] !== undefined || issue.code === 'custom';
  return `${name}: ${isSet ? issue.message : 'is not set'}`;
};

/** Reads the environment by a schema whose keys are variable names; an empty variable counts as unset. Throws ConfigError with all problems. */
export const readConfig = <C>(schema: z.ZodType<C>, env: NodeJS.ProcessEnv): C => {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== '' && value !== undefined),
  );
  const result = schema.safeParse(given);
  if (!result.success)
    throw new ConfigError(result.error.issues.map((issue) => describeProblem(issue, given)).join('\n'));
  return result.data;
};
