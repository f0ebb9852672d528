import { z } from 'zod';
import { cafeId, instantMs, pcId } from '../fields.ts';

/** A launcher session changed: it began, fell silent, or was closed. */
export const launcherSessionChanged = z.object({
  launcher_session_id: z.uuid(),
  cafe_id: cafeId,
  pc_id: pcId,
  at_ms: instantMs,
});
