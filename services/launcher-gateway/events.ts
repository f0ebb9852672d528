import type { Ports } from './ports.ts';
import { replyCafeVerdict } from './usecases/reply-cafe-verdict.ts';
import { replyIssuedOtt } from './usecases/reply-issued-ott.ts';

/** The events that this service handles. */
export const handlers = (ports: Ports) => ({
  'cafe-check.answered': replyCafeVerdict(ports),
  'ott.issued': replyIssuedOtt(ports),
});
