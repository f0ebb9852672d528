import { ConfigError, readConfig } from '#libs/runtime/config.ts';

/** The lines of what a service says of its environment before it refuses to start, sorted; none when it starts. */
export const configProblems = (
  schema: Parameters<typeof readConfig>[0],
  env: NodeJS.ProcessEnv,
): string[] => {
  try {
    readConfig(schema, env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').toSorted();
  }
};
