import type { Json } from './schema.ts';

/** What an integrator should know about an operation beside its fields, by the operation's name. */
export const descriptions: Readonly<Record<string, string>> = {
  verify:
    'Validates the token from the launch data, starts billing and creates a game session (spec 4.1). A token that is not accepted is a 200, not an error: branch on `data.is_valid`, not on the status. A live game session on the same PC is replaced. After 503, 429 or no answer at all try again with the same `Idempotency-Key` and body, after `Retry-After`; a repeat without a key hears OTT_ALREADY_USED where the first one was done.',
  heartbeat:
    'Call it every `next_heartbeat_in` seconds (spec 4.2). Without one for 4 minutes the session ends. On 404 and 410 stop the heartbeats and remove the player; on SESSION_REPLACED stop the heartbeats and do not call end. After 503, 429 or no answer send it again, after `Retry-After`: a repeat is one more sign of life and nothing else.',
  end: 'Call it when a player leaves, and at shutdown for every live session (spec 4.3). The JSON body goes with the DELETE method. 404 and 409 mean that the session has been cleaned up already: ignore them and continue. After 503 or no answer send the same again, after `Retry-After`: the first that arrives ends the session with its seconds, and a repeat is 409 and changes nothing.',
  heartbeats:
    'A heartbeat for each of up to 500 sessions of the game, answered item by item and in order with exactly what the single call would say (D-41). Only a wrong shape (no items, more than 500, wrong types, a session twice) or a wrong key refuses the whole request. Each session has a `next_heartbeat_in` of its own: that of one in its grace is shorter, and no reason to send the others sooner. What is 503 may be sent again as a single heartbeat may: the whole batch, or its items of status 503.',
  ends: 'An end for each of up to 500 sessions of the game (D-41): a server with 500 players shuts down with one request. Answered item by item and in order with exactly what the single call would say. What is 503 may be sent again as a single end may: the whole batch, or its items of status 503.',
  'session-start':
    'The request is signed with the launcher key of the cafe and must come from an IP address of that cafe (D-13, D-14, D-20). Another start on the same PC replaces the launcher session and keeps the game session. A retry is signed anew: a nonce counts once.',
  'session-heartbeat':
    'Call it every `next_heartbeat_in` seconds (D-13). After 4 minutes without one the launcher session lapses, and the PC’s game session ends at its next heartbeat.',
  ott: 'The token is valid for a minute, for one use and for one game (spec 2.1). A newer token for the same PC and game voids the older one (D-04). If the request comes from another IP address than the launcher session, that address is checked too (D-17).',
  'session-end': 'Ends the launcher session; a live game session on the PC ends with it (D-13).',
  'settled-session':
    'The ledger’s entry, written once when play is over. `partner_play_duration_sec` is null until the partner has confirmed.',
  statement:
    'The sessions whose play ended on the day, and those that came too late for a day closed before (D-30). `Accept: text/csv` gives CSV; its last line has row count, seconds and the SHA-256 of all bytes before it (D-28). A response without that line is incomplete.',
  reconciliation:
    'A closed day as it was closed, which never changes; an open day as it is now, compared with the confirmations of the partner but not with its statement (D-29).',
};

/** The request headers of an operation beside those of its authentication, by the operation's name. */
export const requestHeaders: Readonly<Record<string, readonly Json[]>> = {
  verify: [
    {
      in: 'header',
      name: 'Idempotency-Key',
      required: false,
      description:
        'The same key and body within five minutes get the same response; the same key with another body gets 422, and 409 while the first request is in flight (D-15).',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
      example: 'join-6f1c2b7e-42',
    },
  ],
};
