import * as crypto from 'node:crypto'
import { scryptSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createHasher } from '../src/passwords/hasher.ts'
import { readPhc } from '../src/passwords/phc.ts'
import { CHEAP, PASSWORD } from './support/opened.ts'

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
const salt = Buffer.from('sixteen bytes...')

describe('A hash of a password', () => {
  it('is made by scrypt as OWASP asks, with a salt of its own', async () => {
    const hasher = createHasher()
    const [one, other] = [await hasher.hash(PASSWORD), await hasher.hash(PASSWORD)]
    expect(one).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(one).not.toBe(other)
    expect(await hasher.verify(PASSWORD, one)).toEqual({ isRight: true, isOld: false })
    expect(await hasher.verify(`${PASSWORD}.`, one)).toEqual({ isRight: false, isOld: false })
  })

  it('of other parameters is right, and old', async () => {
    const earlier = await createHasher({ parameters: CHEAP }).hash(PASSWORD)
    expect(await createHasher({ parameters: { ...CHEAP, p: 2 } }).verify(PASSWORD, earlier)).toEqual({
      isRight: true,
      isOld: true,
    })
  })

  it('is read as others write it', async () => {
    const hash = scryptSync(PASSWORD, salt, 32, { N: 2 ** 10, r: 8, p: 2 })
    const text = `$scrypt$ln=10,r=8,p=2$${base64(salt)}$${base64(hash)}`
    expect(await createHasher({ parameters: CHEAP }).verify(PASSWORD, text)).toEqual({ isRight: true, isOld: true })
  })

  // Node 24.7 and later have it.
  const hasArgon2 = typeof crypto.argon2Sync === 'function'
  it.runIf(hasArgon2)('by argon2id is read where Node has it, and is old', async () => {
    const parameters = { message: PASSWORD, nonce: salt, parallelism: 1, tagLength: 32, memory: 19_456, passes: 2 }
    const hash = crypto.argon2Sync('argon2id', parameters)
    const text = `$argon2id$v=19$m=19456,t=2,p=1$${base64(salt)}$${base64(hash)}`
    const hasher = createHasher({ parameters: CHEAP })
    expect(await hasher.verify(PASSWORD, text)).toEqual({ isRight: true, isOld: true })
    expect(await hasher.verify('another one', text)).toMatchObject({ isRight: false })
  })

  it('that is none, or would take all memory to be made again, is not read', async () => {
    const rest = `$${base64(salt)}$${base64(Buffer.alloc(32))}`
    for (const text of [
      '',
      'plain',
      `$scrypt$ln=30,r=8,p=1${rest}`,
      `$scrypt$ln=15,r=8,p=99${rest}`,
      `$argon2id$v=19$m=9999999,t=2,p=1${rest}`,
    ])
      expect(readPhc(text), text).toBeUndefined()
    await expect(createHasher({ parameters: CHEAP }).verify(PASSWORD, 'plain')).rejects.toMatchObject({
      kind: 'internal',
    })
  })

  it('is the same for a password in another Unicode form', async () => {
    const hasher = createHasher({ parameters: CHEAP })
    const hash = await hasher.hash('pa\u0308sswort 12345')
    expect(await hasher.verify('p\u00e4sswort 12345', hash)).toMatchObject({ isRight: true })
  })
})

describe('Hashing', () => {
  it('has two run at once, twenty wait, and refuses the rest', async () => {
    const hasher = createHasher({ parameters: { ...CHEAP, ln: 10 } })
    const all = await Promise.allSettled(Array.from({ length: 30 }, () => hasher.hash(PASSWORD)))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(22)
    for (const one of all)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ kind: 'over-limit', retryAfterMs: 2_000 })
    await hasher.hash(PASSWORD)
  })

  it('never finds that nobody has the right password', async () => {
    expect(await createHasher({ parameters: CHEAP }).verify('', null)).toMatchObject({ isRight: false })
  })
})
