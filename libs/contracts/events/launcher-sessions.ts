import { z } from 'zod';
import { cafeId, instantMs, launcherSessionId, pcId } from '../fields.ts';

/** Data of the events on launcher-sessions.v1. */
export const launcherSessionChanged = z.object({
  launcher_session_id: launcherSessionId,
  cafe_id: cafeId,
  pc_id: pcId,
  at_ms: instantMs.meta({ description: 'When it happened, in ms since the Unix epoch.' }),
});
