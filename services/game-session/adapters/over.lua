-- keys: deadlines expiries holders watch records...
-- args: server outage_after_ms window_ms usual_window_ms remind_ms longest_pause_ms memory_ms answer_by_ms asked...
-- What is over, in one round trip: what core/deadlines.ts and core/session.ts make of the common cases. `asked` are four of each: what is
-- asked, the session's id, and two more. `end`: the game and its seconds, or ''; a session that plays, belongs to the game, has no grace, is not
-- overdue and was not spared when it would have been ends now, unless it is later than `answer_by_ms`: then its caller may have been refused.
-- `due`: what plays, has no grace and is overdue ends by its silence, unless an amnesty holds (D-11) or a mass expiry is held back (D-25), what
-- is ending is due again later (D-06), and what has ended is forgotten. `stopped`: the partner's seconds; what is ending has ended. Answers the
-- instant, and of each the record's names and values in turn, a line each, or `forgotten`; empty where there is more to say: the core decides.
-- The names are those of session-form.ts and commit.lua, as in beat.lua (D-57). It begins with amnesty.lua.
-- The record with its next version and these fields, due so long from now, and no expiry any more.
local function moved(session, after_ms, fields)
  local record, id = session.record, session.id
  redis.call('HSET', record, 'V', session.version + 1, 'd', now + after_ms - session.seen_at, unpack(fields))
  redis.call('ZREM', expiries, id)
  redis.call('ZADD', deadlines, now + after_ms, id)
  return table.concat(redis.call('HGETALL', record), '\n')
end
local function leave_seat(session)
  if redis.call('HGET', holders, session.owner) == session.id then redis.call('HDEL', holders, session.owner) end
end
local function close(session, reason, until_ms, client_sec)
  local ended_at = math.max(session.started_at, until_ms)
  local played = math.floor((ended_at - session.started_at) / 1000)
  local fields = { 's', 'ending', 'w', reason, 'z', ended_at, 't', played }
  if client_sec ~= '' then
    fields[9], fields[10] = 'tc', client_sec
  end
  leave_seat(session)
  return moved(session, remind_ms, fields)
end
local function forget(session)
  leave_seat(session)
  redis.call('DEL', session.record)
  redis.call('ZREM', deadlines, session.id)
  return 'forgotten'
end
local function remind(session)
  local reminders = session.reminders + 1
  return moved(session, math.min(longest_pause_ms, remind_ms * 2 ^ reminders), { 'r', reminders })
end
local answer = {}
answer['end'] = function(session, game, client_sec)
  local seen_at = session.seen_at
  local is_spared = session.exhausted_at or now >= seen_at + window_ms
  local is_in_time = now < session.due_at and now <= tonumber(answer_by_ms) and not is_spared
  -- As `notBeforeSeenMs` of core/session.ts.
  local until_ms = seen_at <= now + 300000 and math.max(now, seen_at) or now
  return session.plays and session.game == game and is_in_time and close(session, 'game_ended', until_ms, client_sec) or ''
end
answer.due = function(session)
  if now < session.due_at then return '' end
  if session.state == 'ended' then return forget(session) end
  if session.state == 'ending' then return remind(session) end
  local expires = session.plays and not session.exhausted_at and now >= suspended
  return expires and close(session, 'silence', session.seen_at, '') or ''
end
answer.stopped = function(session, partner_sec)
  return session.state == 'ending' and moved(session, memory_ms, { 's', 'ended', 'tp', partner_sec }) or ''
end
local function sessionOf(record, id)
  local known = redis.pcall('HMGET', record, 'json', 's', 'g', 'b', 'h', 'd', 'e', 'V', 'O', 'r')
  if known.err or known[1] or not known[9] then return end
  local state, started_at, seen_at, due_after = known[2], tonumber(known[4]), tonumber(known[5]), tonumber(known[6] or usual_window_ms)
  local reminders = tonumber(known[10] or 0)
  if not started_at or not seen_at or not due_after or not tonumber(known[8]) or not reminders then return end
  return {
    record = record, id = id, state = state, game = known[3], started_at = started_at, seen_at = seen_at, due_at = seen_at + due_after,
    exhausted_at = known[7], version = known[8], owner = known[9], reminders = reminders, plays = not state or state == 'charge_exhausted',
  }
end
local answers = {}
for index, record in ipairs(records) do
  local at = 4 * (index - 1)
  local session = sessionOf(record, asked[at + 2])
  answers[index] = session and answer[asked[at + 1]](session, asked[at + 3], asked[at + 4]) or ''
end
return { now, answers }
