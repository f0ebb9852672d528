import { z } from 'zod';
import { agreeToExpiry } from '#libs/records/suspend-expiries.ts';
import { connectRedis } from '#libs/redis/connection.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { redisAccess, redisSettings, withRedis } from '#libs/runtime/redis-settings.ts';
import { sessionsPrefix } from '../../services/game-session/adapters/redis-sessions.ts';
import { launchersPrefix } from '../../services/launcher-gateway/adapters/redis-launcher-sessions.ts';
import { Misuse, exitCodes, print, runCommand } from './command-line.ts';
import { commandLog } from './operator.ts';

const help = `Agrees to a mass expiry: for ten minutes sessions expire, however many are overdue at once (D-25).

  npm run agree -- game-sessions | launcher-sessions

  REDIS_URL comes from the environment, or from the stack that npm start runs.
  Exit codes: 0 agreed · 1 failed · 2 wrong use
`;

const prefixes: Readonly<Record<string, string>> = {
  'game-sessions': sessionsPrefix,
  'launcher-sessions': launchersPrefix,
};

const agree = async (what: string, prefix: string): Promise<number> => {
  const server = redisAccess(readConfig(withRedis(z.object(redisSettings)), process.env));
  const redis = connectRedis({ server, log: commandLog('agree'), metrics: createMetrics('agree') });
  await redis.start(() => undefined);
  try {
    await agreeToExpiry(redis.client, prefix);
  } finally {
    await redis.stop();
  }
  print(`✓ agreed for ten minutes: overdue ${what} expire`);
  return exitCodes.done;
};

runCommand({
  ...{ name: 'agree', role: 'sweeper:agree', help, options: {}, allowPositionals: true },
  audited: { words: /^(game|launcher)-sessions$/ },
  run: async (_, positionals) => {
    const what = positionals.join(' ');
    const prefix = prefixes[what];
    if (prefix === undefined) throw new Misuse('say to what: game-sessions or launcher-sessions');
    return agree(what, prefix);
  },
});
