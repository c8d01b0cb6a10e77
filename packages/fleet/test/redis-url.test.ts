import { describe, expect, it } from 'vitest'
import { openRedis } from '../src/redis/client.ts'
import { readRedisUrl, redisUrlProblem } from '../src/redis/url.ts'

const NO_LOGIN = { sentinel: {}, master: '' }

describe('The address of Redis', () => {
  it.each([
    [
      'redis://127.0.0.1',
      { mode: 'single', hosts: [{ host: '127.0.0.1', port: 6_379 }], isTls: false, db: 0, ...NO_LOGIN },
    ],
    [
      'rediss://alice:p%40ss@[::1]:7000/3',
      {
        mode: 'single',
        hosts: [{ host: '::1', port: 7_000 }],
        isTls: true,
        db: 3,
        username: 'alice',
        password: 'p@ss',
        ...NO_LOGIN,
      },
    ],
    [
      'redis+sentinel://:secret@one,two:26380/main/2?sentinelPassword=other',
      {
        mode: 'sentinel',
        hosts: [
          { host: 'one', port: 26_379 },
          { host: 'two', port: 26_380 },
        ],
        isTls: false,
        db: 2,
        master: 'main',
        password: 'secret',
        sentinel: { password: 'other' },
      },
    ],
    [
      'rediss+cluster://a:7001,b:7002',
      {
        mode: 'cluster',
        hosts: [
          { host: 'a', port: 7_001 },
          { host: 'b', port: 7_002 },
        ],
        isTls: true,
        db: 0,
        ...NO_LOGIN,
      },
    ],
  ])('is read from %s', (url, address) => {
    expect(readRedisUrl(url)).toEqual({ address })
    expect(redisUrlProblem(url)).toBeUndefined()
  })

  it.each([
    ['http://127.0.0.1:6379', 'allowed: a URL such as redis://'],
    ['redis://', 'allowed: a URL such as redis://'],
    ['redis://hunter2@host', 'user:password'],
    ['redis://:hunter2%zz@host', 'percent-encoding'],
    ['redis://:hunter2@host:99999', 'hosts or ports'],
    ['redis://:hunter2@one,two', 'several hosts'],
    ['redis://:hunter2@host/main', 'number of a database'],
    ['redis+sentinel://:hunter2@host', 'name of the master'],
    ['redis+cluster://:hunter2@host/2', 'only the database 0'],
    ['redis://:hunter2@host?tls=1', 'allowed parameters'],
  ])('is refused for %s, without its password', async (url, problem) => {
    expect(redisUrlProblem(url)).toContain(problem)
    const refused = openRedis(url, { onUnreachable() {}, onReachable() {}, onRefusal() {} })
    const error: unknown = await refused.catch((reason: unknown) => reason)
    expect(error).toMatchObject({ kind: 'invalid-request', param: 'HEADGATE_REDIS_URL' })
    expect(String(error)).not.toContain('hunter2')
  })
})
