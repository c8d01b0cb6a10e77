import { onTestFinished, type TestContext } from 'vitest'
import { type RedisServer, type RedisServerOptions, startRedis } from '../../../tools/redis.ts'
import { openRedis, type RedisClient, type RedisClientOptions } from '../src/redis/client.ts'

/** A Redis server for one test. The test is skipped if Redis is not installed. */
export async function redisOf({ skip }: Pick<TestContext, 'skip'>, options?: RedisServerOptions): Promise<RedisServer> {
  const server = await startRedis(options)
  if (!server) {
    process.stderr.write('Redis is not installed here: NOTHING is shown of limits that nodes share through it.\n')
    return skip('Redis is not installed')
  }
  onTestFinished(() => server.remove())
  return server
}

/** What a client reported. */
export interface Reported {
  readonly transitions: string[]
  readonly refusals: string[]
}

/** A client for one test, with what it reports. */
export async function clientOf(
  url: string,
  options: Partial<RedisClientOptions> = {},
): Promise<{ readonly redis: RedisClient; readonly reported: Reported }> {
  const reported: Reported = { transitions: [], refusals: [] }
  const redis = await openRedis(url, {
    onUnreachable: (reason) => reported.transitions.push(`unreachable: ${reason}`),
    onReachable: () => reported.transitions.push('reachable'),
    onRefusal: (message) => reported.refusals.push(message),
    ...options,
  })
  onTestFinished(() => redis.close())
  return { redis, reported }
}
