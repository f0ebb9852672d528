import * as game from '#libs/contracts/api/game.ts';
import * as launcher from '#libs/contracts/api/launcher.ts';
import * as settlement from '#libs/contracts/api/settlement.ts';
import type { Api } from './openapi.ts';

/** The three APIs of the product. */
export const apis = {
  game: {
    title: 'gsb: game server API',
    tag: 'game sessions',
    description: 'Verify a one-time token, keep a game session alive, end it (spec 4).',
    endpoints: [game.verify, game.heartbeat, game.end, game.heartbeats, game.ends],
  },
  launcher: {
    title: 'gsb: launcher API',
    tag: 'launcher sessions',
    description: 'Prove the cafe, request one-time tokens (D-13).',
    endpoints: [launcher.startSession, launcher.heartbeatSession, launcher.requestOtt, launcher.endSession],
  },
  settlement: {
    title: 'gsb: settlement API',
    tag: 'ledger',
    description: 'Recorded play, for operators inside the cluster.',
    endpoints: [settlement.getSession, settlement.getStatement, settlement.getReconciliation],
  },
} as const satisfies Record<string, Api>;
