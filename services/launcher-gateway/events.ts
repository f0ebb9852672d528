import type { Ports } from './ports.ts';
import { hearVerdict } from './usecases/support/check-cafe-address.ts';
import { hearIssued } from './usecases/request-ott.ts';

/** What this service listens to. */
export const handlers = (ports: Ports) => ({
  'cafe-check.answered': hearVerdict(ports),
  'ott.issued': hearIssued(ports),
});
