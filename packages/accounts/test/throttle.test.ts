import { describe, expect, it } from 'vitest'
import { createHasher } from '../src/passwords/hasher.ts'
import { networkOf } from '../src/sign-in/address.ts'
import { waitAfter } from '../src/sign-in/throttle.ts'
import { CHEAP, claim, describeStores, HERE, join, openOver, PASSWORD, stores } from './support/opened.ts'

const EMAIL = 'owner@example.com'
const RIGHT = { email: EMAIL, password: PASSWORD }
const WRONG = { email: EMAIL, password: 'not the password' }
const at = (address: string) => ({ ...HERE, address })

describeStores(stores(), 'failures of sign-in in $name', ({ open, openTwice }) => {
  it('takes five failures of an account from anywhere, then makes it wait ever longer, and forgets them at a success', async () => {
    const accounts = await open()
    await claim(accounts)
    for (let turn = 0; turn < 5; turn += 1)
      await expect(accounts.signIn(WRONG, at(`192.0.2.${turn}`))).rejects.toMatchObject({ kind: 'bad-key' })
    const refusal = { kind: 'over-limit', retryAfterMs: 1_000 }
    await expect(accounts.signIn(RIGHT, at('192.0.2.9'))).rejects.toMatchObject(refusal)
    accounts.later(1_000)
    await expect(accounts.signIn(WRONG, at('192.0.2.10'))).rejects.toMatchObject({ kind: 'bad-key' })
    await expect(accounts.signIn(RIGHT, at('192.0.2.11'))).rejects.toMatchObject({ ...refusal, retryAfterMs: 2_000 })
    accounts.later(2_000)
    await accounts.signIn(RIGHT, at('192.0.2.12'))
    await expect(accounts.signIn(WRONG, at('192.0.2.13'))).rejects.toMatchObject({ kind: 'bad-key' })
    await accounts.signIn(RIGHT, at('192.0.2.14'))
  })

  it('lets a correct password of a known device pass while strangers fail at the account and from its address, and counts its own failures', async () => {
    const accounts = await open()
    const person = await claim(accounts)
    const other = await join(accounts, 'member', 'other')
    const [own, others] = [await accounts.markDevice(person.id), await accounts.markDevice(other.id)]
    const fail = (attempt: object) =>
      accounts.signIn({ ...WRONG, ...attempt }, HERE).catch(({ kind }: { kind: string }) => kind)
    for (let turn = 0; turn < 5; turn += 1) expect(await fail({})).toBe('bad-key')
    const [id, expires, signature] = own.device.split('.')
    const strange = [
      '',
      'x',
      'x'.repeat(1e6),
      '...',
      `${id}.${Number(expires) + 1}.${signature}`,
      `other.${expires}.${signature}`,
      others.device,
    ]
    for (const device of [undefined, ...strange]) expect(await fail({ ...RIGHT, device })).toBe('over-limit')
    await accounts.signIn({ ...RIGHT, device: own.device }, HERE)
    for (let turn = 0; turn < 60; turn += 1) await fail({ email: `${turn}@example.com` })
    expect(await fail({ email: 'other@example.com', password: PASSWORD })).toBe('over-limit')
    await accounts.signIn({ ...RIGHT, device: (await accounts.markDevice(person.id, own.device)).device }, HERE)
    for (let turn = 0; turn < 5; turn += 1) expect(await fail({ device: own.device })).toBe('bad-key')
    expect(await fail({ ...RIGHT, device: (await accounts.markDevice(person.id, own.device)).device })).toBe(
      'over-limit',
    )
    accounts.later(400 * 86_400_000)
    for (let turn = 0; turn < 5; turn += 1) await fail({})
    expect(await fail({ ...RIGHT, device: own.device })).toBe('over-limit')
  })

  it('takes fifty failures of an address, whichever account they are of, and whoever succeeds there does not free it', async () => {
    const accounts = await open()
    await claim(accounts)
    await join(accounts, 'member', 'mallory')
    accounts.later(86_400_000)
    const here = at('2001:db8:1:2::1')
    for (let turn = 0; turn < 49; turn += 1)
      await expect(accounts.signIn({ ...WRONG, email: `${turn}@example.com` }, here)).rejects.toMatchObject({
        kind: 'bad-key',
      })
    await accounts.signIn({ email: 'mallory@example.com', password: PASSWORD }, here)
    await expect(
      accounts.signIn({ ...WRONG, email: 'last@example.com' }, at('2001:db8:1:2:ffff::')),
    ).rejects.toMatchObject({
      kind: 'bad-key',
    })
    await expect(accounts.signIn(RIGHT, at('2001:db8:1:2::2'))).rejects.toMatchObject({ kind: 'over-limit' })
    await accounts.signIn(RIGHT, at('2001:db8:1:3::2'))
  })

  it('counts attempts before they are made: of many at once, five are tried', async () => {
    const [accounts, other] = await openTwice()
    await claim(accounts)
    const attempts = Array.from({ length: 20 }, (_, turn) =>
      (turn % 2 ? accounts : other).signIn(WRONG, at(`192.0.2.${turn}`)).catch((error: { kind: string }) => error.kind),
    )
    expect((await Promise.all(attempts)).filter((kind) => kind === 'bad-key')).toHaveLength(5)
  })

  it('counts no attempt that could not be made, since too many sign in at once', async () => {
    const accounts = await open()
    await claim(accounts)
    const full = createHasher({ parameters: CHEAP, atOnce: 0, waiting: 0 })
    const busy = openOver(accounts.parts.connection, { parts: { hasher: full } })
    for (let turn = 0; turn < 9; turn += 1)
      await expect(busy.signIn(RIGHT, HERE)).rejects.toMatchObject({ message: expect.stringContaining('concurrent') })
    await accounts.signIn(RIGHT, HERE)
  })
})

describe('The wait after failures', () => {
  it('doubles from a second to a quarter of an hour, and never becomes for ever', () => {
    expect([1, 4, 5, 6, 7, 14, 15, 50, 5_000].map((failures) => waitAfter(failures))).toEqual([
      0, 0, 1_000, 2_000, 4_000, 512_000, 900_000, 900_000, 900_000,
    ])
  })

  it('counts an IPv4 address alone, and of IPv6 all that one customer has', () => {
    expect(['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:201'].map(networkOf)).toEqual(Array(3).fill('192.0.2.1'))
    const same = ['2001:db8:0:1::', '2001:0DB8:0000:0001:ffff:1:2:3', '2001:db8::1:0:0:0:1', '2001:db8:0:1::5%eth0']
    expect(same.map(networkOf)).toEqual(Array(4).fill('2001:db8:0:1::/64'))
    expect(['::1', '1::', 'nonsense', '64:ff9b::192.0.2.1'].map(networkOf)).toEqual([
      '0:0:0:0::/64',
      '1:0:0:0::/64',
      'nonsense',
      '64:ff9b:0:0::/64',
    ])
  })
})
