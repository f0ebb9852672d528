-- What a script that is told of an amnesty begins with: it refuses a view written on another server (D-24), and knows the time, and until when
-- nothing expires because of an outage of ours (D-11), and until when nobody's silence is believed: an amnesty, or a mass expiry is held back
-- (D-25); all in ms since the epoch.
local watched = redis.call('HMGET', watch, 'swept', 'amnesty', 'view', 'suspended')
if server ~= '' and watched[3] ~= server then return redis.error_reply('UNTRUSTED') end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local amnesty = tonumber(watched[2] or 0)
if watched[1] and now - watched[1] > tonumber(outage_after_ms) then amnesty = now + window_ms end
local suspended = math.max(amnesty, tonumber(watched[4] or 0))
