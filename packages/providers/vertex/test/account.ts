import { generateKeyPairSync } from 'node:crypto'
import type { SignatureFacts } from '@headgate/conformance'

export const TOKEN = 'zebra.of.the.vertex'

/** The key file of a service account, with a key of its own. */
export function keyFile(): string {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return JSON.stringify({
    type: 'service_account',
    client_email: 'gateway@p.iam.example',
    private_key: privateKey,
    public_key: publicKey,
  })
}

/**
 * What gives a token for a signed assertion. Written from
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
export function tokens(token: string): SignatureFacts {
  return {
    headers: ['authorization'],
    isRight: ({ headers }) => headers['authorization'] === `Bearer ${token}`,
    secrets: [token],
    issue({ raw }) {
      if (new URLSearchParams(raw).get('assertion')?.split('.').length !== 3) throw new Error('invalid_grant')
      return { access_token: token, expires_in: 3_599, token_type: 'Bearer' }
    },
  }
}
