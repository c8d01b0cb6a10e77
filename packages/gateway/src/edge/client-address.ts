import { isIP } from 'node:net'
import { isWithin } from './addresses.ts'

/** Header values as Node has them: a list if a header was sent several times and not joined. */
export type ProxyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Maximum length of a header that is read, in characters. */
const MAX_HEADER_LENGTH = 4_096
/** Maximum number of proxies that a request may have passed. */
const MAX_HOPS = 32
const NONE: readonly string[] = []

/**
 * IP address of a caller. The socket's address counts, unless it is listed in `trusted` (addresses and networks). Then
 * the rightmost address of `Forwarded` or `X-Forwarded-For` that is not listed counts; if all are listed, the leftmost
 * one. Undefined if the headers are malformed, too long or contradictory: one of them may be forged by the caller and
 * passed on by the proxy.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7239#section-4
 * @example
 * ```ts
 * clientAddress('10.0.0.1', { 'x-forwarded-for': '192.0.2.7' }, ['10.0.0.0/8']) // '192.0.2.7'
 * ```
 */
export function clientAddress(
  socket: string | undefined,
  headers: ProxyHeaders,
  trusted: readonly string[] = NONE,
): string | undefined {
  if (trusted.length === 0 || socket === undefined || !isWithin(trusted, socket)) return socket
  const [standard, common] = [textOf(headers['forwarded']), textOf(headers['x-forwarded-for'])]
  if (standard.length > MAX_HEADER_LENGTH || common.length > MAX_HEADER_LENGTH) return undefined
  if (standard === '' && common === '') return socket
  const one = standard === '' ? undefined : rightmost(forwardedHops(standard), trusted)
  const other = common === '' ? undefined : rightmost(common.split(','), trusted)
  if (standard === '' || common === '') return one ?? other
  return one === other ? one : undefined
}

function textOf(value: string | readonly string[] | undefined): string {
  return (typeof value === 'string' ? value : (value ?? NONE).join(',')).trim()
}

function rightmost(hops: readonly string[], trusted: readonly string[]): string | undefined {
  let address: string | undefined
  for (let index = hops.length - 1; index >= Math.max(0, hops.length - MAX_HOPS); index -= 1) {
    address = addressOf((hops[index] ?? '').trim())
    if (address === undefined || !isWithin(trusted, address)) return address
  }
  return hops.length > MAX_HOPS ? undefined : address
}

/** An address with or without a port: `192.0.2.7`, `192.0.2.7:4711`, `2001:db8::1`, `[2001:db8::1]:4711`. */
function addressOf(text: string): string | undefined {
  if (text.includes('%')) return undefined
  if (isIP(text) !== 0) return text.toLowerCase()
  const match = /^(?:\[([0-9a-f:.]{2,45})\]|([0-9.]{7,15}))(?::\d{1,5})?$/i.exec(text)
  const bare = match?.[1] ?? match?.[2] ?? ''
  return isIP(bare) === (match?.[1] === undefined ? 4 : 6) ? bare.toLowerCase() : undefined
}

/** The values of `for` in a `Forwarded` header, one for each proxy; empty if it has none. */
function forwardedHops(text: string): string[] {
  return split(text, ',').map((element) => {
    const pairs = split(element, ';').map((pair) => /^\s*for\s*=\s*(.*?)\s*$/is.exec(pair)?.[1])
    const value = pairs.find((one) => one !== undefined) ?? ''
    return /^"[^"\\]*"$/.test(value) ? value.slice(1, -1) : value
  })
}

/** Splits at a character outside quoted strings. */
function split(text: string, at: string): string[] {
  const parts: string[] = []
  let isQuoted = false
  let start = 0
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index]
    if (isQuoted && char === '\\') index += 1
    else if (char === '"') isQuoted = !isQuoted
    else if (char === at && !isQuoted) {
      parts.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...parts, text.slice(start)]
}
