/** Maximum different keys of a JSON text. Beyond it, objects take microseconds per member to create and to copy. */
const MOST_KEYS = 50_000
/** Minimum characters of that many different keys. */
const SHORT = 8 * MOST_KEYS

/** Index of the closing quote of a string, or -1. */
function endOfString(source: string, at: number): number {
  for (let end = source.indexOf('"', at); end >= 0; end = source.indexOf('"', end + 1)) {
    let slashes = 0
    while (source.charCodeAt(end - 1 - slashes) === 92) slashes++
    if (slashes % 2 === 0) return end
  }
  return -1
}

/** True if JSON text has at least `count` colons, in strings or outside. */
function hasColons(source: string, count: number): boolean {
  let at = -1
  for (let found = 0; found < count; found++) {
    at = source.indexOf(':', at + 1)
    if (at < 0) return false
  }
  return true
}

/**
 * True if the objects of a JSON text have more than 50,000 different keys together. Parsing them would block the
 * process for seconds. Repeated keys, as in lists of log probabilities, cost a fraction.
 */
export function hasTooManyKeys(source: string): boolean {
  if (source.length < SHORT || !hasColons(source, MOST_KEYS)) return false
  const keys = new Set<string>()
  for (let at = source.indexOf('"'); at >= 0; at = source.indexOf('"', at)) {
    const end = endOfString(source, at + 1)
    if (end < 0) return false
    let next = end + 1
    while (source.charCodeAt(next) <= 32) next++
    if (source.charCodeAt(next) === 58) {
      keys.add(source.slice(at, end))
      if (keys.size > MOST_KEYS) return true
    }
    at = end + 1
  }
  return false
}
