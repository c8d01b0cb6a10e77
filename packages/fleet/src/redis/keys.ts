/** Beginning of all keys and channels. The braces put all keys into one slot of a cluster, as scripts need it. */
const PREFIX = '{headgate}:'

/** Key or channel in Redis. */
export function redisKey(...parts: readonly string[]): string {
  return `${PREFIX}${parts.join(':')}`
}
