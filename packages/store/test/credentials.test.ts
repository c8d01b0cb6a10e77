import { expect, it } from 'vitest'
import { listCredentials, removeCredentialWithin, setCredentialWithin } from '../src/credentials/credentials.ts'
import { createCredentialSealer } from '../src/credentials/sealer.ts'
import { transact } from '../src/database/transaction.ts'
import { changesOf } from '../src/keys/changes.ts'
import { createSecret } from '../src/secret/secret.ts'
import { describeStores, stores } from './support/stores.ts'

const place = { provider: 'acme', adapter: 'acme', hosts: ['https://api.acme.example'] }
const given = { ...place, sealed: 'sealed', fields: ['apiKey'], createdBy: 'usr_1' }

describeStores(stores(), 'Credentials of providers over $name', ({ open }) => {
  it('replace the version that was read, and each change is announced', async () => {
    const connection = await open()
    const set = (follows?: number) =>
      transact(connection, (trx) => setCredentialWithin(connection, trx, given, { now: 1_000, follows }))
    expect((await set(0)).after).toEqual({ ...given, createdAt: 1_000, version: 1 })
    expect((await set(1)).after.version).toBe(2)
    await expect(set(1)).rejects.toMatchObject({ kind: 'conflict', status: 412 })
    expect(await listCredentials(connection)).toEqual([{ ...given, createdAt: 1_000, version: 2 }])
    const remove = () => transact(connection, (trx) => removeCredentialWithin(connection, trx, 'acme', 2))
    expect(await remove()).toMatchObject({ version: 2 })
    expect(await listCredentials(connection)).toEqual([])
    expect(await changesOf(connection, 'credentials')).toBe(3)
  })
})

it('A sealed credential opens for its provider, base URL and hosts, with any value of the secret', () => {
  const [old, next] = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210']
  const sealer = createCredentialSealer(createSecret(old))
  const sealed = sealer.seal({ apiKey: 'sk-1' }, place)
  expect(sealed).not.toContain('sk-1')
  const open = (of: object, secret = old) =>
    createCredentialSealer(createSecret(secret)).open({ ...place, sealed, ...of })
  expect(open({})).toEqual({ apiKey: 'sk-1' })
  expect(open({}, `${next},${old}`)).toEqual({ apiKey: 'sk-1' })
  expect(open({}, next)).toBeUndefined()
  for (const other of [{ provider: 'other' }, { adapter: 'other' }, { baseUrl: 'https://evil.example' }, { hosts: [] }])
    expect(open(other)).toBeUndefined()
})
