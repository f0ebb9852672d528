import { ConfigError } from '#libs/runtime/config.ts';
import { Missing } from './progress.ts';

/** Why a start failed, for the person at the terminal. */
export const explain = (error: unknown): string => {
  if (error instanceof ConfigError) return `The environment has these problems:\n${error.message}`;
  if (error instanceof Missing) return error.message;
  return error instanceof Error ? error.message : String(error);
};
