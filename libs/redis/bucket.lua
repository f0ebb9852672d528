-- From when on a token bucket counts that is to be full at the instant `noted`, or is full where nothing is noted, or no number; in ms, as
-- `all_ms`, which it takes to fill. None is emptier than empty: what lies further ahead another clock wrote, and the bucket begins anew (D-35,
-- D-42).
local function full_from(noted, now, all_ms)
  local full_at = tonumber(noted or 0) or 0
  return full_at > now + all_ms + 1000 and now or math.max(now, full_at)
end
