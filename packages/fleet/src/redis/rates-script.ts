import { PLACES_RULE } from '@headgate/gateway/ports'
import { redisScript } from './script.ts'

/** Time after its last change at which all slots of a window have left it, in milliseconds. */
const WINDOW_KEPT_MS = 62_500
/** Time without an exchange after which the places of a limit are forgotten, in milliseconds. */
const PLACES_KEPT_MS = 3_600_000

/**
 * Exchange of a node with its limits. It follows `exchangeWindow` and `exchangePlaces`, with the clock of the server.
 *
 * A window is a hash: `o` and `n`, the oldest and newest slot that may have an amount, `u`, the sum, and the amount of
 * each slot. Places are a hash: held places, demand, lag and time of each node. All nodes are in a sorted set by their
 * last exchange. If places become free, the script publishes their key in the channels of nodes with too few places.
 *
 * `KEYS`: instance, nodes, then windows, then places. `ARGV`: node, new instance, `allocationMs`, beginning of the
 * channels, number of windows; for each window limit, least, want, number of changes, and slot and amount of each
 * change; for each of the places limit, held, demand and want. An instance is the time of its first exchange and an
 * id. Reply: now, instance, nodes; for each window granted, slot, used and time until it is free; for each of the
 * places granted, others, part, next part and time until then.
 */
export const EXCHANGE = redisScript(`
local SLOT, SLOTS, AHEAD, SEEN = 250, 240, 2000, 10000
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local node, allocation = ARGV[1], tonumber(ARGV[3])
local oldest = math.floor(now / SLOT) - SLOTS
local newest = math.floor((now + AHEAD) / SLOT)
local granting = math.floor((now + math.min(allocation, AHEAD)) / SLOT)
local at = 6
local function nextArg()
  at = at + 1
  return tonumber(ARGV[at - 1])
end
local function text(number)
  return string.format('%.0f', number)
end
local reply = {}
local function answer(number)
  reply[#reply + 1] = number
end

-- Reads the whole window, after its clock has jumped: slots that have left are dropped, slots too far ahead count last.
local function rebuild(key)
  local all = redis.call('HGETALL', key)
  local sums, o, n, u = {}, nil, nil, 0
  for i = 1, #all, 2 do
    local slot = tonumber(all[i])
    if slot and slot >= oldest then
      local place = math.min(slot, newest)
      local amount = tonumber(all[i + 1])
      sums[place] = (sums[place] or 0) + amount
      u = u + amount
      o = math.min(o or place, place)
      n = math.max(n or place, place)
    end
  end
  redis.call('DEL', key)
  local fields = {}
  for slot, amount in pairs(sums) do
    fields[#fields + 1] = text(slot)
    fields[#fields + 1] = text(amount)
  end
  if #fields > 0 then redis.call('HSET', key, unpack(fields)) end
  return o, n, u
end

-- Drops the slots that have left the window.
local function expire(key, o, n, u)
  if o >= oldest then return o, n, u, false end
  local gone = {}
  for slot = o, math.min(n, oldest - 1) do gone[#gone + 1] = text(slot) end
  for _, amount in ipairs(redis.call('HMGET', key, unpack(gone))) do
    if amount then u = u - tonumber(amount) end
  end
  redis.call('HDEL', key, unpack(gone))
  return oldest, n, u, true
end

local function msUntil(key, o, n, used, most)
  local fields, slots = {}, {}
  for slot = o or 0, n or -1 do
    fields[#fields + 1] = text(slot)
    slots[#slots + 1] = slot
  end
  if #fields == 0 then return 0 end
  local leavesAt = now
  for i, amount in ipairs(redis.call('HMGET', key, unpack(fields))) do
    if used <= most then break end
    if amount then
      used = used - tonumber(amount)
      leavesAt = (slots[i] + SLOTS + 1) * SLOT
    end
  end
  return math.max(0, leavesAt - now)
end

local function window(key)
  local limit, least, want, count = nextArg(), nextArg(), nextArg(), nextArg()
  local head = redis.call('HMGET', key, 'o', 'n', 'u')
  local o, n, u, changed = tonumber(head[1]), tonumber(head[2]), tonumber(head[3]) or 0, false
  if o and (n > newest or o + 1000 < oldest) then
    o, n, u = rebuild(key)
    changed = true
  elseif o then
    o, n, u, changed = expire(key, o, n, u)
  end

  local changes, names, slots = {}, { text(granting) }, { granting }
  for i = 1, count do
    local place, amount = math.min(nextArg(), newest), nextArg()
    if place >= oldest then
      changes[#changes + 1] = { place, amount }
      names[#names + 1] = text(place)
      slots[#slots + 1] = place
    end
  end
  local amounts = {}
  for i, amount in ipairs(redis.call('HMGET', key, unpack(names))) do amounts[slots[i]] = tonumber(amount) or 0 end
  local function add(slot, amount)
    local sum = math.max(0, amounts[slot] + amount)
    -- The sum of both may exceed 2^53.
    u = u + (sum - amounts[slot])
    amounts[slot] = sum
  end
  for _, change in ipairs(changes) do add(change[1], change[2]) end
  local function write()
    local fields, empty = {}, {}
    for slot, amount in pairs(amounts) do
      if amount > 0 then
        fields[#fields + 1] = text(slot)
        fields[#fields + 1] = text(amount)
        o = math.min(o or slot, slot)
        n = math.max(n or slot, slot)
      else
        empty[#empty + 1] = text(slot)
      end
    end
    if u <= 0 then
      redis.call('DEL', key)
      return
    end
    if #empty > 0 then redis.call('HDEL', key, unpack(empty)) end
    redis.call('HSET', key, 'o', text(o), 'n', text(n), 'u', text(u), unpack(fields))
    redis.call('PEXPIRE', key, ${WINDOW_KEPT_MS})
  end

  local free = math.min(want, math.floor(limit - u))
  if least > 0 and free >= least then
    add(granting, free)
    write()
    answer(free) answer(granting) answer(u) answer(0)
    return
  end
  if changed or #changes > 0 then write() end
  answer(0) answer(granting) answer(u)
  if least > 0 then answer(msUntil(key, o, n, u, limit - least)) else answer(0) end
end

-- Divides the places if the demands exceed them: the level, the number of nodes that can use more, and the rest.
local function divide(claims, limit)
  local demands = {}
  for i, claim in ipairs(claims) do demands[i] = claim.demand end
  table.sort(demands)
  local left = limit
  for i, demand in ipairs(demands) do
    local competitors = #demands - i + 1
    local level = math.floor(left / competitors)
    if demand > level then return { level = level, competitors = competitors, rest = left - level * competitors } end
    left = left - demand
  end
  return nil
end

local function lagAt(claim, past, division)
  if not division or claim.demand <= division.level then return 0 end
  local fair = division.level + division.rest / division.competitors
  local elapsed = math.max(0, math.min(${PLACES_RULE.mostElapsedMs}, now - claim.at))
  return math.max(-${PLACES_RULE.mostLagMs}, math.min(${PLACES_RULE.mostLagMs}, claim.lag + math.floor((fair - past) * elapsed)))
end

-- Sets the ranks of the nodes that compete for the rest, and returns them in order.
local function rank(claims, division, lag)
  local level, competitors, rest = division.level, division.competitors, division.rest
  local step = math.max(${PLACES_RULE.leastStepMs}, math.floor(${PLACES_RULE.roundMs} / competitors))
  local turn = ${PLACES_RULE.neverMs}
  if level < ${PLACES_RULE.stableLevel} then turn = math.floor((step * rest * (competitors - rest)) / competitors) end
  local ranking = {}
  for i, claim in ipairs(claims) do
    if claim.demand > level then
      local own = i == 1 and lag or lagAt(claim, claim.held, division)
      claim.score = own + (claim.held > level and turn or 0)
      ranking[#ranking + 1] = claim
    end
  end
  table.sort(ranking, function(one, other)
    if one.score ~= other.score then return one.score > other.score end
    return one.node < other.node
  end)
  for i, claim in ipairs(ranking) do claim.rank = i end
  return ranking
end

local function partOf(claim, limit, division)
  if not division then return limit end
  if claim.demand <= division.level then return claim.demand end
  return claim.rank <= division.rest and division.level + 1 or division.level
end

local function answerNext(claim, part, division, ranking)
  local partner = claim.rank and ranking[2 * division.rest + 1 - claim.rank]
  local ms = partner and math.abs(claim.score - partner.score) or ${PLACES_RULE.neverMs}
  if ms > ${PLACES_RULE.mostLagMs} then
    answer(part) answer(0)
  else
    answer(claim.rank <= division.rest and part - 1 or part + 1) answer(ms)
  end
end

-- Sends the key to nodes that lack places, as many as there are free places. A user may not be allowed to do so.
local function wake(key, claims, limit, division, free)
  for i = 2, #claims do
    if free <= 0 then return end
    local missing = math.min(partOf(claims[i], limit, division), claims[i].demand) - claims[i].held
    if missing > 0 then
      redis.pcall('PUBLISH', ARGV[4] .. claims[i].node, key)
      free = free - missing
    end
  end
end

local function places(key)
  local limit, held, demand, want = nextArg(), nextArg(), nextArg(), nextArg()
  local own = { node = node, held = held, demand = demand, lag = 0, at = now }
  local claims, others, before = { own }, 0, nil
  local all = redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    local had, could, lag, at = string.match(all[i + 1], '^(%S+) (%S+) (%S+) (%S+)$')
    local claim = { node = all[i], held = tonumber(had), demand = tonumber(could), lag = tonumber(lag), at = tonumber(at) }
    if all[i] == node then
      before = claim
      own.lag, own.at = claim.lag, claim.at
    elseif redis.call('ZSCORE', KEYS[2], all[i]) then
      others = others + claim.held
      if now - claim.at > ${PLACES_RULE.demandKeptMs} then claim.demand = claim.held end
      claims[#claims + 1] = claim
    else
      redis.call('HDEL', key, all[i])
    end
  end
  local division = divide(claims, limit)
  local lag = lagAt(own, before and before.held or held, division)
  local ranking = division and rank(claims, division, lag) or {}
  local part = partOf(own, limit, division)
  local granted = math.max(0, math.min(want, limit - others - held, part - held))
  if held + granted + demand > 0 then
    redis.call('HSET', key, node, text(held + granted) .. ' ' .. text(demand) .. ' ' .. text(lag) .. ' ' .. text(now))
    redis.call('PEXPIRE', key, ${PLACES_KEPT_MS})
  else
    redis.call('HDEL', key, node)
  end
  -- The turn of a node begins with the grant.
  if division and granted > 0 then
    own.held = held + granted
    ranking = rank(claims, division, lag)
  end
  answer(granted) answer(others) answer(part)
  answerNext(own, part, division, ranking)
  if before and (before.held > held + granted or before.demand > demand) then
    wake(key, claims, limit, division, limit - others - held - granted)
  end
end

redis.call('SET', KEYS[1], text(now) .. ':' .. ARGV[2], 'NX')
redis.call('ZADD', KEYS[2], now, node)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', text(now - SEEN))
redis.call('PEXPIRE', KEYS[2], SEEN * 6)
reply = { now, redis.call('GET', KEYS[1]), redis.call('ZCARD', KEYS[2]) }
local windows = tonumber(ARGV[5])
for i = 3, #KEYS do
  if i - 2 <= windows then window(KEYS[i]) else places(KEYS[i]) end
end
return reply
`)
