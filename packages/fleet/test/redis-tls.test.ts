import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest'
import { freePort } from '../../../tools/postgres.ts'
import type { RedisClient } from '../src/redis/client.ts'
import { redisMessages } from '../src/redis/messages.ts'
import { redisSharedRates } from '../src/redis/rates.ts'
import { createCertificates } from './certificates.ts'
import { clientOf, redisOf } from './redis-server.ts'

const LONG = { timeout: 120_000 }
/** Handshakes may take long on a busy machine. */
const PATIENT = { deadlineMs: 10_000, connectMs: 10_000 }
const ADDRESS = 'IP:127.0.0.1'

/** Makes this process trust a certificate authority, as `NODE_EXTRA_CA_CERTS` does. */
function trust(authority: string): void {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, authority])
  onTestFinished(() => setDefaultCACertificates(before))
}

/** A Redis server with TLS on a second port. */
async function secureRedis(context: TestContext, name: string, args: readonly string[] = []) {
  const certificates = createCertificates(name)
  if (!certificates) return context.skip('openssl is not installed')
  const port = await freePort()
  const plain = await redisOf(context, { args: ['--tls-port', String(port), ...certificates.args, ...args] })
  return { plain, port, authority: certificates.authority }
}

/** A server with a replica and a Sentinel, which reach each other and are reached by TLS. */
async function secureSentinel(context: TestContext) {
  const certificates = createCertificates(ADDRESS)
  if (!certificates) return context.skip('openssl is not installed')
  const [mainPort, replicaPort, sentinelPort] = [await freePort(), await freePort(), await freePort()]
  const argsOf = (port: number, ...args: readonly string[]) => ({
    args: ['--tls-port', String(port), '--tls-replication', 'yes', ...certificates.args, ...args],
  })
  const main = await redisOf(context, argsOf(mainPort))
  const replica = await redisOf(context, argsOf(replicaPort, '--replicaof', `127.0.0.1 ${mainPort}`))
  const plain = await redisOf(context, { sentinelOf: mainPort, ...argsOf(sentinelPort) })
  const { redis } = await clientOf(plain.url, PATIENT)
  await redis.call('sentinel', 'set', 'main', 'down-after-milliseconds', 500, 'failover-timeout', 5_000)
  const isWatched = async (): Promise<boolean> => {
    const replicas = await redis.call('sentinel', 'replicas', 'main')
    return Array.isArray(replicas) && replicas.length === 1 && String(replicas[0]).includes('master-link-status,ok')
  }
  await vi.waitUntil(isWatched, { timeout: 60_000, interval: 100 })
  return { main, replica, sentinel: { port: sentinelPort }, authority: certificates.authority }
}

async function expectToWork(redis: RedisClient): Promise<void> {
  expect(redis.isReachable).toBe(true)
  const windows = [{ key: 'k', limit: 10, least: 1, want: 10, changes: [] }]
  const exchange = { node: 'a', allocationMs: 1_000, windows, places: [] }
  expect(await redisSharedRates(redis).exchange(exchange)).toMatchObject({ windows: [{ granted: 10 }] })
  await expectToCarryMessages(redis)
}

async function expectToCarryMessages(redis: RedisClient): Promise<void> {
  let changes = 0
  const messages = redisMessages(redis, { node: 'a', onChange: () => void changes++, onRouting: () => {} })
  onTestFinished(() => messages.end())
  const send = async (): Promise<boolean> => {
    await redis.call('publish', '{headgate}:changed', 'b')
    return changes > 0
  }
  await vi.waitUntil(send, { timeout: 30_000, interval: 20 })
}

describe('Redis with TLS', () => {
  it('counts and carries messages', LONG, async (context) => {
    const { port, authority } = await secureRedis(context, ADDRESS)
    trust(authority)
    const { redis } = await clientOf(`rediss://127.0.0.1:${port}`, PATIENT)
    await expectToWork(redis)
  })

  it('may be a cluster', LONG, async (context) => {
    const args = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1', '--tls-cluster', 'yes']
    const { plain, port, authority } = await secureRedis(context, ADDRESS, args)
    const direct = await clientOf(plain.url, PATIENT)
    await direct.redis.call('cluster', 'addslotsrange', 0, 16_383)
    const isUp = async () => String(await direct.redis.call('cluster', 'info')).includes('cluster_state:ok')
    await vi.waitUntil(isUp, { timeout: 30_000 })
    trust(authority)
    const { redis } = await clientOf(`rediss+cluster://127.0.0.1:${port}`, PATIENT)
    await expectToWork(redis)
  })

  it('may be found through Sentinels, which replace a lost server', LONG, async (context) => {
    const { main, replica, sentinel, authority } = await secureSentinel(context)
    trust(authority)
    const { redis, reported } = await clientOf(`rediss+sentinel://127.0.0.1:${sentinel.port}/main`, PATIENT)
    await expectToWork(redis)
    await redis.call('set', 'before', 'failover')
    expect(Number(await redis.call('wait', 1, 5_000))).toBe(1)
    await main.kill()
    // The client reports the loss once, and finds the other server.
    const isReplaced = async (): Promise<boolean> => {
      const role = await redis.call('role').catch(() => undefined)
      return Array.isArray(role) && role[0] === 'master'
    }
    await vi.waitUntil(isReplaced, { timeout: 60_000, interval: 20 })
    expect(await redis.call('get', 'before')).toBe('failover')
    const direct = await clientOf(replica.url, PATIENT)
    await redis.call('set', 'after', 'failover')
    expect(await direct.redis.call('get', 'after')).toBe('failover')
    await expectToCarryMessages(redis)
    expect(reported.refusals).toEqual([])
  })

  it.for([
    { what: 'of an unknown authority', name: ADDRESS, isTrusted: false, message: /certificate/i },
    { what: 'of another server', name: 'DNS:other.example', isTrusted: true, message: /altnames/i },
  ])('refuses a certificate $what', LONG, async ({ name, isTrusted, message }, context) => {
    const { port, authority } = await secureRedis(context, name)
    if (isTrusted) trust(authority)
    const { redis, reported } = await clientOf(`rediss://127.0.0.1:${port}`, { connectMs: 2_000 })
    expect(redis.isReachable).toBe(false)
    expect(reported.transitions).toEqual([expect.stringMatching(message)])
    await expect(redis.call('ping')).rejects.toThrow('Redis is unreachable')
  })

  it('is not used without TLS', LONG, async (context) => {
    const { port } = await secureRedis(context, ADDRESS)
    const { redis } = await clientOf(`redis://127.0.0.1:${port}`, { connectMs: 1_000 })
    expect(redis.isReachable).toBe(false)
  })
})
