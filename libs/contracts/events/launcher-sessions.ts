import { z } from 'zod';
import { cafeId, instantMs, launcherSessionId, pcId } from '../fields.ts';

/** Data of the events on launcher-sessions.v1. */
export const launcherSessionChanged = z.object({
  launcher_session_id: launcherSessionId,
  cafe_id: cafeId,
  pc_id: pcId,
  at_ms: instantMs.meta({ description: 'When it happened, in ms since the Unix epoch.' }),
});

/** Data of `launcher-session.ended`. */
export const launcherSessionEnded = launcherSessionChanged.extend({
  superseded: z.boolean().default(false).meta({
    description:
      'Whether another launcher session ran on the PC when this was published: then only what was played at `at_ms` ends.',
    example: false,
  }),
});
