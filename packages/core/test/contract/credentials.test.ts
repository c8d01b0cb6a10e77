import { expect, it } from 'vitest'
import { awsKeys, serviceAccount, sigV4 } from '../../src/credentials.ts'
import type { Credential, HttpResponse } from '../../src/provider.ts'
import { keyFile } from './key-file.ts'

const final = { method: 'POST', url: new URL('https://upstream.example/x'), headers: {}, body: 'bytes' }

function answer(status: number, body: unknown): HttpResponse {
  return { status, body, headers: {}, bytes: new Uint8Array() }
}

function signing(credential: Credential): Extract<Credential, { kind: 'signed' }> {
  if (credential.kind !== 'signed') throw new TypeError('The credential does not sign requests.')
  return credential
}

it('A service account leases a token for the time that the issuer says', () => {
  const { lease, sign } = signing(serviceAccount(keyFile(), 'https://www.googleapis.com/auth/cloud-platform'))
  const now = new Date('2026-01-01T00:00:00Z')
  const leased = lease?.obtain.response(answer(200, { access_token: 'token-1', expires_in: 3_600 }), [], { now })
  expect(leased).toMatchObject({ expiresAt: new Date('2026-01-01T01:00:00Z') })
  expect(lease?.secrets(leased)).toEqual(['token-1'])
  expect(sign(final, leased, now)).toEqual({ authorization: 'Bearer token-1' })
})

it('Leased keys of AWS sign with their session, and are stale when AWS says that they expired', () => {
  const keys = awsKeys({ profile: 'default', roleSessionName: 'headgate', region: 'r', machine: true })
  const { lease, sign, stale } = signing(sigV4({ service: 'bedrock', region: 'r', keys: keys ?? expect.unreachable() }))
  const leased = { accessKeyId: 'i', secretAccessKey: 's', sessionToken: 't', expiresAt: new Date() }
  expect(lease?.secrets(leased)).toEqual(['s', 't'])
  expect(sign(final, leased, new Date())).toMatchObject({ 'x-amz-security-token': 't' })
  expect([403, 401].map((status) => stale?.(answer(status, { __type: 'com.amazon#ExpiredTokenException' })))).toEqual([
    true,
    false,
  ])
})
