import { redisScript } from './script.ts'

/** Longest time that a cooldown is stored, in milliseconds. */
const KEPT_MS = 86_400_000
/** Maximum number of stored cooldowns. Callers choose names of models. */
const MOST = 10_000

/**
 * Stores cooldowns. `KEYS`: the hash of cooldowns. `ARGV`: for each cooldown its key, remaining milliseconds and kind.
 * The end is stored by the clock of the server.
 */
export const STORE_COOLDOWNS = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('HLEN', KEYS[1]) > ${MOST} then redis.call('DEL', KEYS[1]) end
for i = 1, #ARGV, 3 do
  redis.call('HSET', KEYS[1], ARGV[i], string.format('%.0f %s', now + tonumber(ARGV[i + 1]), ARGV[i + 2]))
end
redis.call('PEXPIRE', KEYS[1], ${KEPT_MS})
return redis.status_reply('OK')
`)

/** Reads stored cooldowns, and removes ended ones. Reply: key, remaining milliseconds and kind of each. */
export const READ_COOLDOWNS = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local reply = {}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local ends, kind = string.match(all[i + 1], '^(%d+) (.*)$')
  if ends and tonumber(ends) > now then
    reply[#reply + 1] = all[i]
    reply[#reply + 1] = tonumber(ends) - now
    reply[#reply + 1] = kind
  else
    redis.call('HDEL', KEYS[1], all[i])
  end
end
return reply
`)
