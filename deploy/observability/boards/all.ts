import { ends } from './ends.ts';
import { heartbeats } from './heartbeats.ts';
import { kafka } from './kafka.ts';
import { overview } from './overview.ts';
import { partner } from './partner.ts';
import { resources } from './resources.ts';
import { security } from './security.ts';
import { sessionStart } from './session-start.ts';
import { settlement } from './settlement.ts';
import { tokens } from './tokens.ts';
import type { Board } from './types.ts';

/** The boards, in the order in which an operator reads them. */
export const boards: readonly Board[] = [
  ...[overview, sessionStart, tokens, heartbeats, ends],
  ...[partner, kafka, settlement, resources, security],
];
