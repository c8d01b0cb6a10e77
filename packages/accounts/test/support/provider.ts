import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** How a provider lies, or fails. */
export interface Lies {
  /** Claims of the ID token that it gets wrong. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Signs by a key that it does not publish, under the name of one that it does. */
  readonly otherKey?: boolean
  /** Signs not at all, or with a secret: that of the client, or what is public of its key. */
  readonly algorithm?: 'none' | 'HS256'
  readonly secret?: 'client' | 'public key'
  /** Names a key that it does not publish, or none. */
  readonly keyId?: string | null
  /** What it is called where browsers come back. */
  readonly issuerOfAnswer?: string
  /** Gives no ID token. */
  readonly noIdToken?: boolean
  /** Says that somebody else came. */
  readonly userInfo?: Readonly<Record<string, unknown>>
  /** What it says its name is. */
  readonly issuer?: string
  /** Answers at this path with so many bytes, or never. */
  readonly flood?: string
  readonly silent?: string
  /** Sends whoever asks there elsewhere. */
  readonly redirects?: string
  /** Fields of what it publishes. */
  readonly metadata?: object
}

/** An OIDC provider on loopback (OpenID Connect Core 1.0, Discovery 1.0). Whoever comes is who the test says. */
export interface TestProvider {
  readonly issuer: string
  /** How it behaves from now on. */
  lies: Lies
  /** What it says of whoever comes; `sub` and what scopes ask for. */
  claims: Readonly<Record<string, unknown>>
  /** Paths that were asked. */
  readonly asked: string[]
  /** What a browser does that goes to the address of a sign-in: the query with which it comes back. */
  visit(url: string): string
}

interface Grant {
  readonly challenge: string
  readonly nonce: string
  readonly redirectUri: string
}

export const CLIENT = { clientId: 'headgate', clientSecret: 'the secret of the client' }

export async function startProvider(): Promise<TestProvider> {
  const [own, other] = [
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ]
  const grants = new Map<string, Grant>()
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider: TestProvider = {
    issuer,
    lies: {},
    claims: { sub: 'sub-1' },
    asked: [],
    visit(url) {
      const { searchParams } = new URL(url)
      const code = randomUUID()
      const [challenge = '', nonce = '', redirectUri = ''] = ['code_challenge', 'nonce', 'redirect_uri'].map(
        (name) => searchParams.get(name) ?? '',
      )
      grants.set(code, { challenge, nonce, redirectUri })
      return new URLSearchParams({
        code,
        state: searchParams.get('state') ?? '',
        iss: provider.lies.issuerOfAnswer ?? issuer,
      }).toString()
    },
  }

  const idToken = (nonce: string): string => {
    const { claims, otherKey, algorithm = 'RS256', secret = 'client', keyId = 'own' } = provider.lies
    const now = Math.floor(Date.now() / 1_000)
    const payload = {
      iss: issuer,
      aud: CLIENT.clientId,
      iat: now,
      exp: now + 300,
      nonce,
      ...provider.claims,
      ...claims,
    }
    const shared =
      secret === 'client' ? CLIENT.clientSecret : String(own.publicKey.export({ format: 'pem', type: 'spki' }))
    return jwt(
      { alg: algorithm, ...(keyId !== null && { kid: keyId }) },
      payload,
      (otherKey ? other : own).privateKey,
      shared,
    )
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', issuer)
    provider.asked.push(pathname)
    const { lies } = provider
    if (lies.silent === pathname) return
    if (lies.redirects === pathname) return void response.writeHead(302, { location: `${issuer}/elsewhere` }).end()
    if (lies.flood === pathname)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(2 ** 21)}"`)
    const json = (body: object, status = 200): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (pathname === '/.well-known/openid-configuration')
      return json({ ...metadata(lies.issuer ?? issuer, issuer), ...lies.metadata })
    if (pathname === '/jwks')
      return json({ keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'RS256', use: 'sig' }] })
    if (pathname === '/userinfo') return json({ ...provider.claims, ...lies.userInfo })
    if (pathname !== '/token') return json({ error: 'not_found' }, 404)
    const form = new URLSearchParams(await text(request))
    const grant = grants.get(form.get('code') ?? '')
    grants.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!grant || challenge !== grant.challenge || form.get('redirect_uri') !== grant.redirectUri)
      return json({ error: 'invalid_grant' }, 400)
    json({
      access_token: 'access',
      token_type: 'Bearer',
      expires_in: 60,
      ...(!lies.noIdToken && { id_token: idToken(grant.nonce) }),
    })
  }
  return provider
}

function metadata(issuer: string, at: string): object {
  return {
    issuer,
    authorization_endpoint: `${at}/authorize`,
    token_endpoint: `${at}/token`,
    userinfo_endpoint: `${at}/userinfo`,
    jwks_uri: `${at}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  }
}

function jwt(
  header: { readonly alg: string; readonly kid?: string },
  payload: object,
  key: KeyObject,
  secret: string,
): string {
  const signed = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  if (header.alg === 'none') return `${signed}.`
  if (header.alg === 'HS256') return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
}

async function text(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return body
}
