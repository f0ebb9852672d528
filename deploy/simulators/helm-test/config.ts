import { z } from 'zod';
import { limitSettings } from '#libs/runtime/settings.ts';
import { stackFile } from '../stack-file.ts';

const keysFile = stackFile.pick({ cafes: true }).extend({
  games: stackFile.shape.game.shape.games,
  operator_key: stackFile.shape.settlement.shape.operator_key,
});

const keys = z
  .string()
  .transform((text, ctx): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      ctx.addIssue({ code: 'custom', message: 'must be JSON with games, cafes and operator_key' });
      return z.NEVER;
    }
  })
  .pipe(keysFile);

/** The environment of the journey. */
export const journeySchema = z.object({
  ...limitSettings,
  LAUNCHER_URL: z.url(),
  GAME_URL: z.url(),
  SETTLEMENT_URL: z.url(),
  PARTNER_URL: z.url().optional(),
  JOURNEY_KEYS: keys.optional(),
});
