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

async function expectToWork(redis: RedisClient): Promise<void> {
  expect(redis.isReachable).toBe(true)
  const windows = [{ key: 'k', limit: 10, least: 1, want: 10, changes: [] }]
  const exchange = { node: 'a', allocationMs: 1_000, windows, places: [] }
  expect(await redisSharedRates(redis).exchange(exchange)).toMatchObject({ windows: [{ granted: 10 }] })
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
