import type { Signature } from './block.ts'

/** First part of every envelope; a value that does not start with it stands bare. */
const MARK = 'hg1'

/** The longest envelope that is opened, in characters. Signatures of long reasoning are some tens of kilobytes. */
const LIMIT = 1_048_576

const SIGNER = /^[a-z0-9][a-z0-9-]{0,63}$/
const BASE64URL = /^[A-Za-z0-9_-]*$/

/** Last part of the envelope of a signature that is the encrypted reasoning itself, for a field that does not tell. */
const REDACTED = 'redacted'

/** How an envelope is written: `text` for a field that takes any text, `base64` for one that must be base64. */
export type EnvelopeForm = 'text' | 'base64'

/**
 * A signature as the text that a caller of another format is given: `hg1.<signer>.<base64url of the value>`, and
 * `.redacted` if that is to be said. The caller sends it back unread, so the signature survives without state on the
 * server. Where the signer is the one whose signatures stand bare in the format (`native`), the value goes out as it
 * is.
 */
export function seal(signature: Signature, native?: string, form: EnvelopeForm = 'text', redacted = false): string {
  if (signature.signer === native) return signature.value
  const envelope = `${MARK}.${signature.signer}.${toBase64Url(signature.value)}${redacted ? `.${REDACTED}` : ''}`
  return form === 'text' ? envelope : btoa(envelope)
}

/**
 * The signature within a text that a caller or an upstream sent; both forms are known. What is no envelope is a bare
 * value of `native`, or nothing where the format has no signer. The text is not trusted: what is too long, or does not
 * parse, counts as bare, and the signer will refuse it.
 */
export function unseal(value: string, native?: string): Signature | undefined {
  return unsealThought(value, native)?.signature
}

/** The signature of a thought, and whether it is the encrypted thought itself. */
export interface SealedThought {
  readonly signature: Signature
  readonly redacted?: true
}

/** The same within a field that does not tell encrypted reasoning from a signature of it. */
export function unsealThought(value: string, native?: string): SealedThought | undefined {
  if (value === '') return undefined
  return open(value) ?? (native === undefined ? undefined : { signature: { signer: native, value } })
}

/** Whether a value of a body is an envelope: only Headgate can open it. */
export function isEnvelope(value: unknown): boolean {
  return typeof value === 'string' && open(value) !== undefined
}

/** How the base64 of `hg1.` starts; the last of its bits are shared with the character that follows. */
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

/** The UTF-8 bytes of a text as a string of byte-sized characters, which is what `btoa` takes. */
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
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  return /^[\u0000-\u007f]*$/.test(value)
}
