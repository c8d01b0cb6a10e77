import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { resolve } from 'node:path'
import { HeadgateError } from '@headgate/gateway'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { TokenIssuer } from '../config/tokens.ts'

/** Time limit of one call to an issuer, in milliseconds. */
const LIMIT_MS = 5_000
/** Maximum size of a key set in bytes. */
const MAX_BYTES = 1_048_576
/** Age after which a key set is read again, in milliseconds. */
const FRESH_MS = 600_000
/** Age up to which a key set is used while its issuer does not answer, in milliseconds. */
const STALE_MS = 86_400_000
/** Minimum time between two calls for an unknown key, and after a failed call, in milliseconds. */
const PAUSE_MS = 30_000

export interface IssuerKeysOptions {
  readonly issuer: Pick<TokenIssuer, 'jwks' | 'jwksFile' | 'ca' | 'bearerFile'>
  /** Folder that relative paths begin at. */
  readonly folder: string
  onWarning(message: string): void
  /** Clock in milliseconds. Default: the clock of the process. */
  readonly now?: (() => number) | undefined
}

interface KeySet {
  readonly find: ReturnType<typeof createLocalJWKSet>
  readonly readAt: number
}

/**
 * Public keys of an issuer. They are read when the first token arrives, every ten minutes, and when a token names an
 * unknown key, at most every 30 seconds. While the issuer does not answer, keys that are up to a day old are used.
 * The function rejects with a HeadgateError `unavailable` if there are no keys.
 */
export function createIssuerKeys({ issuer, folder, onWarning, now = Date.now }: IssuerKeysOptions): JWTVerifyGetKey {
  let known: KeySet | undefined
  let reading: Promise<void> | undefined
  let calledAt = Number.NEGATIVE_INFINITY
  const place = issuer.jwks ?? resolve(folder, issuer.jwksFile ?? '')

  const read = async (): Promise<void> => {
    calledAt = now()
    try {
      const text =
        issuer.jwks === undefined ? readFileSync(place, 'utf8') : await contentOf(new URL(issuer.jwks), issuer, folder)
      known = { find: createLocalJWKSet(JSON.parse(text) as JSONWebKeySet), readAt: now() }
    } catch (error) {
      onWarning(`The keys of tokens at ${place} cannot be read: ${reasonOf(error)}`)
    } finally {
      reading = undefined
    }
  }
  const refresh = async (): Promise<void> => {
    if (!reading && now() - calledAt < PAUSE_MS) return
    reading ??= read()
    await reading
  }
  const usable = (): KeySet | undefined => (known && now() - known.readAt < STALE_MS ? known : undefined)

  return async (header, token) => {
    // Requests do not wait for the refresh of keys that can still be used.
    if (usable() && now() - (known?.readAt ?? 0) > FRESH_MS) void refresh()
    else if (!usable()) await refresh()
    const keys = usable()
    if (!keys)
      throw new HeadgateError('unavailable', 'The keys of the issuer of the token cannot be read. Retry later.', {
        retryAfterMs: PAUSE_MS,
      })
    try {
      return await keys.find(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await refresh()
      return (usable() ?? keys).find(header, token)
    }
  }
}

/** Body of a response with status 200. Redirects are not followed. */
async function contentOf(url: URL, { ca, bearerFile }: IssuerKeysOptions['issuer'], folder: string): Promise<string> {
  const bearer = bearerFile === undefined ? undefined : readFileSync(resolve(folder, bearerFile), 'utf8').trim()
  const options = {
    signal: AbortSignal.timeout(LIMIT_MS),
    headers: { accept: 'application/json', ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) },
  }
  const sent =
    url.protocol === 'https:'
      ? secureRequest(url, { ...options, ...(ca !== undefined && { ca: readFileSync(resolve(folder, ca)) }) })
      : request(url, options)
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) {
    response.destroy()
    throw new Error(`it answers ${response.statusCode}`)
  }
  let body = ''
  for await (const piece of response.setEncoding('utf8')) {
    body += String(piece)
    if (body.length > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`)
  }
  return body
}

/** Reason without the content, which can come from anyone. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is not valid JSON'
  return error instanceof Error ? error.message : String(error)
}
