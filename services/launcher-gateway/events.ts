import type { Ports } from './ports.ts';
import { onCafeVerdict } from './usecases/support/check-cafe-address.ts';
import { onOttIssued } from './usecases/request-ott.ts';

/** What this service listens to. */
export const handlers = (ports: Ports) => ({
  'cafe-check.answered': onCafeVerdict(ports),
  'ott.issued': onOttIssued(ports),
});
