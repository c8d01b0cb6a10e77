import { createHash } from 'node:crypto'

/** Lua script that runs in Redis. */
export interface RedisScript {
  readonly source: string
  /** SHA-1 of the source in hexadecimal, by which Redis knows the script. */
  readonly sha: string
}

/** Script with its hash. */
export function redisScript(source: string): RedisScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}
