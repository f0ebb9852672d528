import { gameSession } from '#libs/contracts/events/game-sessions.ts';
import { packing } from '#libs/records/packing.ts';
import { recordParser } from '#libs/records/record-parser.ts';
import type { RecordForm } from '#libs/records/record-types.ts';
import type { Session } from '../core/session.ts';

/** The state of a session whose record names none. */
export const usualState = 'active';
/** How long after its last sign of life a session is due whose record says nothing of it, in ms: as spec 3.2 and D-10 have it. */
export const usualWindowMs = 245_000;

/** Game sessions as hashes of Redis; beat.lua and over.lua know some of the names, and that no value has a line break. */
export const sessionForm: RecordForm<Session> = {
  parse: recordParser(gameSession),
  packing: packing(
    {
      texts: {
        state: 's',
        cafe_id: 'c',
        game_id: 'g',
        end_reason: 'w',
      },
      names: { provider_user_id: 'u' },
      traces: { traceparent: 'x' },
      uuids: { launcher_session_id: 'l' },
      flags: { is_pc_cafe: 'i' },
      numbers: {
        started_at_ms: 'b',
        last_seen_at_ms: 'h',
        deadline_at_ms: 'd',
        play_duration_sec: 't',
        reminders: 'r',
        exhausted_at_ms: 'e',
        ended_at_ms: 'z',
        client_play_duration_sec: 'tc',
        partner_play_duration_sec: 'tp',
      },
    },
    {
      usual: { state: usualState, is_pc_cafe: true, reminders: 0, deadline_at_ms: usualWindowMs },
      since: { deadline_at_ms: 'last_seen_at_ms' },
    },
  ),
  told: (gameSessionId, pcId) => ({ game_session_id: gameSessionId, pc_id: pcId }),
};
