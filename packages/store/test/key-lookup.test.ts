import { hash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { createKeyLookup } from '../src/keys/key-lookup.ts'
import type { KeyMatch } from '../src/keys/keys.ts'
import type { KeyFacts } from '../src/keys/stored.ts'

const hashOf = (key: string): string => hash('sha256', key)

const PLACE = { project: 'prj_a', environment: 'staging' }
/** What every key here says of itself. */
const OWN = { environment: 'staging', owners: { project: 'prj_a', organization: 'org_a' } }

function held(id: string, change: Partial<KeyFacts> = {}): KeyMatch {
  return { facts: { id, createdAt: 0, version: 1, ...PLACE, ...change }, organization: 'org_a' }
}

/** A store with the keys `one` and `two`, and a clock that the test sets. */
function open(patience = 3_000) {
  const clock = { now: 1_000_000 }
  const keys = new Map<string, KeyMatch>()
  const put = (key: string, { endsAt, ...change }: Partial<KeyFacts & Pick<KeyMatch, 'endsAt'>> = {}): void =>
    void keys.set(hashOf(key), { ...held(`key_${key}`, change), ...(endsAt !== undefined && { endsAt }) })
  put('one')
  put('two', {
    name: 'second',
    models: ['a*'],
    search: ['docs'],
    scopes: ['metrics'],
    limits: { concurrent: 2 },
    createdBy: 'per_a',
    creator: 'active',
    families: ['chat'],
    providers: ['mine'],
    addresses: ['10.0.0.0/8'],
  })
  const lookUp = vi.fn(async (hex: string) => keys.get(hex))
  const now = () => clock.now
  const keyLookup = createKeyLookup({ lookUp, now, elapsed: now, patience })
  return { clock, keyLookup, lookUp, put, holds: (key: string) => keyLookup.findByHash(hashOf(key)) }
}

describe('A key', () => {
  it('that was asked for before is known at once, with what it may do', async () => {
    const { holds, lookUp } = open()
    expect(await holds('one')).toEqual({ id: 'key_one', ...OWN })
    expect(holds('one')).toEqual({ id: 'key_one', ...OWN })
    expect(holds('one')).toBe(holds('one'))
    const may = {
      models: ['a*'],
      search: ['docs'],
      scopes: ['metrics'],
      limits: { concurrent: 2 },
      families: ['chat'],
      providers: ['mine'],
      addresses: ['10.0.0.0/8'],
    }
    expect(await holds('two')).toEqual({
      id: 'key_two',
      name: 'second',
      ...may,
      environment: 'staging',
      owners: { ...OWN.owners, member: 'per_a' },
    })
    expect(lookUp).toHaveBeenCalledTimes(2)
  })

  it('is looked up once for all who ask at the same time', async () => {
    const { holds, lookUp } = open()
    const answers = await Promise.all([holds('one'), holds('one'), holds('one')])
    expect([answers, lookUp.mock.calls.length]).toEqual([Array(3).fill({ id: 'key_one', ...OWN }), 1])
  })

  it('that nobody holds is not looked up again for five seconds, unless a key was made', async () => {
    const { holds, keyLookup, lookUp, clock, put } = open()
    expect(await holds('new')).toBeUndefined()
    clock.now += 4_999
    expect(holds('new')).toBeUndefined()
    expect(lookUp).toHaveBeenCalledOnce()
    clock.now += 1
    expect(await holds('new')).toBeUndefined()
    put('new')
    keyLookup.changed()
    expect(await holds('new')).toEqual({ id: 'key_new', ...OWN })
  })

  it('ends when it expires, although it was used before', async () => {
    const { holds, put, clock } = open()
    put('short', { endsAt: clock.now + 1_000 })
    expect(await holds('short')).toBeDefined()
    clock.now += 1_000
    expect(holds('short')).toBeUndefined()
  })

  it('that is revoked while it is looked up is not known to whoever asks afterwards', async () => {
    const { holds, keyLookup, lookUp, put } = open()
    const slow = Promise.withResolvers<KeyMatch>()
    lookUp.mockReturnValueOnce(slow.promise)
    const before = holds('one')
    put('one', { revokedAt: 1 })
    keyLookup.changed()
    const after = holds('one')
    slow.resolve(held('key_one'))
    expect([await before, await after]).toEqual([{ id: 'key_one', ...OWN }, undefined])
    expect(await holds('one')).toBeUndefined()
  })
})

describe('What is remembered of keys', () => {
  it('is bounded: the oldest make room, and so do those that nobody holds', async () => {
    const { holds, lookUp, put } = open()
    for (let index = 0; index <= 10_000; index += 1) {
      put(`key${index}`)
      await holds(`key${index}`)
      await holds(`nobody${index}`)
    }
    lookUp.mockClear()
    holds('key10000')
    holds('nobody10000')
    expect(lookUp).not.toHaveBeenCalled()
    await holds('key0')
    await holds('nobody0')
    expect(lookUp).toHaveBeenCalledTimes(2)
  })

  it('does not grow with those that are looked up at once: more than a thousand are turned away', async () => {
    const { holds } = open()
    const asked = Array.from({ length: 1_000 }, (_, index) => holds(`nobody${index}`))
    expect(() => holds('one')).toThrow(expect.objectContaining({ kind: 'over-limit' }))
    await Promise.all(asked)
    expect(await holds('one')).toEqual({ id: 'key_one', ...OWN })
  })
})

describe('While the store can not be read', () => {
  const HOUR = 3_600_000
  const UNKNOWN = {
    kind: 'unavailable',
    status: 503,
    retryAfterMs: 1_000,
    message: expect.stringMatching(/^The gateway cannot reach its store/),
  }

  it('keys that were verified in the last hour go on, and of others it is said that nobody knows', async () => {
    const { holds, keyLookup, lookUp, clock } = open()
    await holds('one')
    lookUp.mockRejectedValue(new Error('connect ECONNREFUSED'))
    clock.now += HOUR - 1
    expect(holds('one')).toEqual({ id: 'key_one', ...OWN })
    keyLookup.changed()
    expect(await holds('one')).toEqual({ id: 'key_one', ...OWN })
    await expect(holds('two')).rejects.toMatchObject(UNKNOWN)
    clock.now += 1
    await expect(holds('one')).rejects.toMatchObject({ ...UNKNOWN, cause: { message: 'connect ECONNREFUSED' } })
  })

  it('the hour begins when the store last said that no key had changed', async () => {
    const { holds, keyLookup, lookUp, clock } = open()
    await holds('one')
    clock.now += 2 * HOUR
    keyLookup.confirmed()
    lookUp.mockRejectedValue(new Error('away'))
    clock.now += HOUR - 1
    expect(holds('one')).toEqual({ id: 'key_one', ...OWN })
    keyLookup.changed()
    expect(await holds('one')).toEqual({ id: 'key_one', ...OWN })
    clock.now += 1
    await expect(holds('one')).rejects.toMatchObject(UNKNOWN)
  })

  it('one request waits for a silent store, for a moment, and no verified key waits again before the store answers', async () => {
    const { holds, keyLookup, lookUp } = open(20)
    for (const key of ['one', 'two']) await holds(key)
    const { promise, resolve } = Promise.withResolvers<KeyMatch | undefined>()
    lookUp.mockReturnValue(promise)
    keyLookup.changed()
    expect(await holds('one')).toEqual({ id: 'key_one', ...OWN })
    vi.useFakeTimers()
    const other = holds('two')
    await vi.advanceTimersByTimeAsync(1)
    vi.useRealTimers()
    expect(await other).toMatchObject({ id: 'key_two' })
    await expect(holds('three')).rejects.toMatchObject(UNKNOWN)
    resolve(undefined)
    await promise
    await vi.waitFor(async () => expect(await holds('one')).toBeUndefined())
  })

  it('what was revoked before does not come back', async () => {
    const { holds, keyLookup, lookUp, put } = open()
    await holds('one')
    put('one', { revokedAt: 1 })
    keyLookup.changed()
    expect(await holds('one')).toBeUndefined()
    lookUp.mockRejectedValue(new Error('away'))
    keyLookup.changed()
    expect(await holds('one')).toBeUndefined()
  })
})
