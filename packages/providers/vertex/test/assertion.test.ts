import { verify } from 'node:crypto'
import type { Lease } from '@headgate/core/provider'
import { JWT, OAuth2Client } from 'google-auth-library'
import { describe, expect, it } from 'vitest'
import { vertex } from '../src/index.ts'
import { keyFile } from './account.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const TOKENS = 'https://oauth2.googleapis.com/token'
const file = {
  ...(JSON.parse(keyFile()) as { client_email: string; private_key: string; public_key: string }),
  private_key_id: 'k1',
}

/** What is sent for a token. */
function ours(now: Date): string {
  const { public_key: _, ...key } = file
  const { credential } = vertex({ project: 'p', location: 'global', key: JSON.stringify(key) })
  const { body } = (credential as unknown as { lease: Lease<unknown> }).lease.obtain.request({ now })
  return assertionIn(body && 'bytes' in body ? String(body.bytes) : '')
}

/** What Google's own library sends for one; nothing of it leaves the machine. */
async function theirs(): Promise<string> {
  const client = new JWT({
    email: file.client_email,
    key: file.private_key,
    keyId: file.private_key_id,
    scopes: [SCOPE],
  })
  let sent = ''
  client.transporter.defaults.fetchImplementation = (_url, options) => {
    sent = String(options?.body)
    return Promise.resolve(Response.json({ access_token: 't', expires_in: 3_599, token_type: 'Bearer' }))
  }
  await client.authorize()
  return assertionIn(sent)
}

function assertionIn(form: string): string {
  const fields = new URLSearchParams(form)
  expect(fields.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
  return fields.get('assertion') ?? ''
}

const partsOf = (jwt: string) => jwt.split('.') as [string, string, string]
const json = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>

describe('The assertion of a service account', () => {
  it('claims, byte for byte, what Google’s own library claims, and is signed as that signs', async () => {
    const [, their, signature] = partsOf(await theirs())
    const [head, our] = partsOf(ours(new Date(Number(json(their)['iat']) * 1000)))
    expect(our).toBe(their)
    expect(json(head)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' })
    const theirHead = partsOf(await theirs())[0]
    const isSigned = verify(
      'RSA-SHA256',
      Buffer.from(`${theirHead}.${their}`),
      file.public_key,
      Buffer.from(signature, 'base64url'),
    )
    expect(isSigned).toBe(true)
  })

  it('is taken by Google’s own library', async () => {
    const ticket = await new OAuth2Client().verifySignedJwtWithCertsAsync(
      ours(new Date()),
      { k1: file.public_key },
      TOKENS,
      [file.client_email],
    )
    expect(ticket.getPayload()).toMatchObject({ iss: file.client_email, aud: TOKENS, scope: SCOPE })
  })
})
