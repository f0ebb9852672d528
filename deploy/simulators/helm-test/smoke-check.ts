import * as gameApi from '#libs/contracts/api/game.ts';
import * as launcherApi from '#libs/contracts/api/launcher.ts';
import * as settlementApi from '#libs/contracts/api/settlement.ts';
import { call } from '../http-client.ts';
import type { CallResult } from '../http-client.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

/** Where the three APIs are. */
export interface Endpoints {
  readonly launcher: string;
  readonly game: string;
  readonly settlement: string;
  readonly print: (line: string) => void;
}

const codeOf = (answer: CallResult<unknown>): string => (answer.ok ? String(answer.status) : answer.code);

/** Asks each API what a stranger may ask, and says whether each refused as it should. Throws when one cannot be reached. */
export const smokeCheck = async ({ launcher, game, settlement, print }: Endpoints): Promise<boolean> => {
  const path = settlementApi.getSession.path.replace(':game_session_id', `gs_${nobody}`);
  const [start, verify, lookUp] = await Promise.all([
    call(launcherApi.startSession, { url: launcher, headers: {}, body: '{}' }),
    call(gameApi.verify, { url: game, headers: {}, body: '{}' }),
    call({ ...settlementApi.getSession, path }, { url: settlement, headers: {} }),
  ]);
  const expected = [
    ['launcher-gateway refuses a start without signature', start, 'INVALID_SIGNATURE'],
    ['game-session refuses a verify without API key', verify, 'INVALID_API_KEY'],
    ['settlement refuses a look-up without operator key', lookUp, 'INVALID_OPERATOR_KEY'],
  ] as const;
  for (const [what, answer, code] of expected)
    print(`  ${codeOf(answer) === code ? '✓' : '✗'} ${what.padEnd(52)} → ${codeOf(answer)}`);
  return expected.every(([, answer, code]) => codeOf(answer) === code);
};
