import type { Signature } from './block.ts'

/** Prefix of every envelope. Values without it are not envelopes. */
const MARK = 'hg1'

/** Maximum characters of an envelope. Signatures of long reasoning have some tens of kilobytes. */
const LIMIT = 1_048_576

const SIGNER = /^[a-z0-9][a-z0-9-]{0,63}$/
const BASE64URL = /^[A-Za-z0-9_-]*$/

/** Last part of an envelope whose signature contains the encrypted reasoning, for fields that do not state it. */
const REDACTED = 'redacted'

/** Encoding of an envelope: `text` for any string field, `base64` for a field that must be base64. */
export type EnvelopeForm = 'text' | 'base64'

/**
 * Envelope of a signature for callers of another format: `hg1.<signer>.<base64url of the value>`, with `.redacted` for
 * encrypted reasoning. The caller returns it unread, so the signature survives without server state. Values of the
 * format's own signer (`native`) need no envelope.
 */
export function seal(signature: Signature, native?: string, form: EnvelopeForm = 'text', redacted = false): string {
  if (signature.signer === native) return signature.value
  const envelope = `${MARK}.${signature.signer}.${toBase64Url(signature.value)}${redacted ? `.${REDACTED}` : ''}`
  return form === 'text' ? envelope : btoa(envelope)
}

/**
 * Signature in a value from a caller or upstream, in either encoding. Other values are signatures of `native`, or
 * undefined if the format has no signer. Values are untrusted: invalid or too long envelopes are treated as signatures
 * of `native`, which the signer then rejects.
 */
export function unseal(value: string, native?: string): Signature | undefined {
  return unsealThought(value, native)?.signature
}

/** Signature of reasoning. */
export interface SealedThought {
  readonly signature: Signature
  /** True if the signature contains the encrypted reasoning. */
  readonly redacted?: true
}

/** Signature in a field that does not distinguish encrypted reasoning from a signature. */
export function unsealThought(value: string, native?: string): SealedThought | undefined {
  if (value === '') return undefined
  return open(value) ?? (native === undefined ? undefined : { signature: { signer: native, value } })
}

/** True for an envelope of Headgate. */
export function isEnvelope(value: unknown): boolean {
  return typeof value === 'string' && open(value) !== undefined
}

/** Prefix of `hg1.` in base64. Its last bits depend on the next character. */
const MARK_BASE64 = 'aGcxL'

function open(value: string): SealedThought | undefined {
  if (value.length > LIMIT) return undefined
  if (value.startsWith(`${MARK}.`)) return openText(value)
  if (!value.startsWith(MARK_BASE64)) return undefined
  const text = decode(value)
  return text === undefined ? undefined : openText(text)
}

function openText(value: string): SealedThought | undefined {
  const [mark, signer, payload, kind, ...rest] = value.split('.')
  if (mark !== MARK || signer === undefined || payload === undefined || rest.length > 0) return undefined
  if (kind !== undefined && kind !== REDACTED) return undefined
  if (!SIGNER.test(signer) || payload === '' || !BASE64URL.test(payload)) return undefined
  const bytes = decode(payload)
  if (bytes === undefined) return undefined
  try {
    return { signature: { signer, value: fromBytes(bytes) }, ...(kind !== undefined && { redacted: true }) }
  } catch {
    return undefined
  }
}

function decode(base64: string): string | undefined {
  try {
    return atob(base64.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return undefined
  }
}

function toBase64Url(value: string): string {
  return btoa(toBytes(value)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** UTF-8 bytes of a string as characters, for `btoa`. */
function toBytes(value: string): string {
  if (isAscii(value)) return value
  let bytes = ''
  for (const byte of new TextEncoder().encode(value)) bytes += String.fromCharCode(byte)
  return bytes
}

function fromBytes(bytes: string): string {
  if (isAscii(bytes)) return bytes
  return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
}

function isAscii(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches all of ASCII
  return /^[\u0000-\u007f]*$/.test(value)
}
