import { createPrivateKey, createSign, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { parse } from '../canonical/json.ts'
import type { Credential } from '../contract/credential.ts'
import { invalid } from '../errors.ts'
import { accessToken, postForm } from './token.ts'

/** Lifetime of an assertion in seconds. The vendor rejects longer ones. */
const HOUR_S = 3600

const Key = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  token_uri: z.url({ protocol: /^https?$/ }).default('https://oauth2.googleapis.com/token'),
})

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw invalid(
      'private_key',
      'The `private_key` of the service account is not a PEM key. Download the key file again.',
    )
  }
}

/**
 * Credential of a Google Cloud service account.
 * @param json contents of the key file.
 * @param scope requested OAuth scope.
 * @throws HeadgateError if the file is not a key file. The message does not quote it.
 * @example serviceAccount(keyFile, 'https://www.googleapis.com/auth/cloud-platform')
 * @see https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
export function serviceAccount(json: string, scope: string): Credential {
  const read = Key.safeParse(parse(json))
  if (!read.success) {
    const fields = [...new Set(read.error.issues.map(({ path }) => path.join('.')).filter(Boolean))].join(', ')
    throw invalid(undefined, `This is not the key file of a service account${fields ? `: check ${fields}` : ''}.`)
  }
  const { client_email, private_key, private_key_id, token_uri } = read.data
  const key = readKey(private_key)
  const assertion = (now: Date): string => {
    const issued = Math.floor(now.getTime() / 1000)
    const header = { alg: 'RS256', typ: 'JWT', ...(private_key_id !== undefined && { kid: private_key_id }) }
    const claims = { iss: client_email, scope, aud: token_uri, exp: issued + HOUR_S, iat: issued }
    const text = `${encoded(header)}.${encoded(claims)}`
    return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`
  }
  return accessToken(token_uri, (now) =>
    postForm(token_uri, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: assertion(now) }),
  )
}
