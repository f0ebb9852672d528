import { z } from 'zod';
import { cafeId, instantMs, launcherSessionId, pcId } from '../fields.ts';

/** A launcher session changed: it began, fell silent, or was closed. */
export const launcherSessionChanged = z.object({
  launcher_session_id: launcherSessionId,
  cafe_id: cafeId,
  pc_id: pcId,
  at_ms: instantMs.meta({ description: 'When it happened, in ms since the Unix epoch.' }),
});
