import { createHash, createHmac } from 'node:crypto'

/** Bytes of the first blocks: about 1,024 tokens, the minimum of most prompt caches. */
export const BLOCK_BYTES = 4_096
/** Number of blocks after which the block size doubles, so that 256 blocks cover 33 MB. */
const BLOCKS_PER_SIZE = 32
/** Maximum number of hashed blocks. The rest of a longer conversation is not compared. */
const MOST_BLOCKS = 256
/** Bytes that SHA-256 processes at a time, to which HMAC extends its key. */
const HASHED_BYTES = 64
/** Bytes of a hash that are stored: 128 bits. */
const HASH_BYTES = 16
/** Longest session id that is used as a hint, in characters. */
const MOST_HINT = 256
/** Distinguishes session ids from blocks. */
const HINT = 'hint:'

const NO_HASHES: readonly string[] = []

/** Hashes of the beginning of a conversation. They contain no part of its text. */
export interface Prefix {
  /** Hash at the end of each block; each includes all blocks before it. Empty if the conversation is below 4 KiB. */
  readonly hashes: readonly string[]
  /** Length of the conversation in bytes. */
  readonly bytes: number
  /** Hash of the session id, for conversations whose blocks are unknown. */
  readonly hint?: string | undefined
}

/** Keys of the inner and the outer hash of HMAC. */
interface KeyPads {
  readonly inner: Uint8Array
  readonly outer: Uint8Array
}

/** Chain of hashes that grows with a conversation. */
export interface PrefixChain {
  readonly pads: KeyPads
  readonly hashes: string[]
  /** Content of the block that is not complete. */
  parts: Uint8Array[]
  /** Bytes that the block needs to be complete. */
  missing: number
}

/** Prefix of a request without affinity. */
export const NO_PREFIX: Prefix = { hashes: NO_HASHES, bytes: 0 }

/**
 * Key for the hashes of one tenant. Hashes of different tenants never match, so that no tenant learns what another one
 * sent.
 *
 * @example
 * ```ts
 * const tenantKey = tenantKeyOf(randomBytes(32), 'org-1')
 * ```
 */
export function tenantKeyOf(secret: string | Uint8Array, tenant: string): Buffer {
  return createHmac('sha256', secret).update(tenant).digest()
}

/**
 * Bytes from the beginning of a conversation to the end of a block. It only depends on the index of the block, so that
 * conversations of different lengths can be compared.
 *
 * @example
 * ```ts
 * endOfBlock(0) // 4096
 * endOfBlock(32) // 139264: the block size is 8 KiB from here
 * ```
 */
export function endOfBlock(index: number): number {
  const sizes = Math.floor(index / BLOCKS_PER_SIZE)
  const inSize = (index % BLOCKS_PER_SIZE) + 1
  return BLOCK_BYTES * (BLOCKS_PER_SIZE * (2 ** sizes - 1) + inSize * 2 ** sizes)
}

function padsOf(key: Uint8Array): KeyPads {
  const inner = Buffer.alloc(HASHED_BYTES, 0x36)
  const outer = Buffer.alloc(HASHED_BYTES, 0x5c)
  // A longer key is hashed, as HMAC defines.
  const used = key.length > HASHED_BYTES ? createHash('sha256').update(key).digest() : key
  for (let i = 0; i < used.length; i++) {
    const byte = used[i] ?? 0
    inner[i] = byte ^ 0x36
    outer[i] = byte ^ 0x5c
  }
  return { inner, outer }
}

/** HMAC-SHA256 of two hashes, which costs half of `createHmac`: that one looks its algorithm up for each block. */
function hashOf({ inner, outer }: KeyPads, before: string, parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256').update(inner).update(before)
  for (const part of parts) hash.update(part)
  return createHash('sha256').update(outer).update(hash.digest()).digest().toString('base64url', 0, HASH_BYTES)
}

/**
 * Prefix of a conversation, as a chain of HMAC-SHA256 over its blocks. Pieces are compared as one sequence of bytes:
 * tools, system instructions, and the turns without the closing bracket of their list, in this order. A request that
 * appends turns then has all hashes of the request before it. A conversation below 4 KiB is not hashed, since vendors
 * do not cache it.
 *
 * @example
 * ```ts
 * prefixOf(tenantKey, [tools, system, turns.subarray(0, -1)], request.headers['x-session-id'])
 * ```
 */
export function prefixOf(
  tenantKey: Uint8Array,
  pieces: Iterable<Uint8Array | string>,
  hint?: string | undefined,
): Prefix {
  const list: readonly (Uint8Array | string)[] = Array.isArray(pieces) ? pieces : [...pieces]
  let bytes = 0
  for (const piece of list) bytes += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length
  if (bytes < BLOCK_BYTES) return NO_PREFIX
  const chain = createChain(tenantKey)
  for (const piece of list) extendChain(chain, piece)
  const { hashes } = chain
  return hint === undefined || hint === ''
    ? { hashes, bytes }
    : { hashes, bytes, hint: hashOf(chain.pads, HINT, [Buffer.from(hint.slice(0, MOST_HINT))]) }
}

/** Chain of an empty conversation. */
export function createChain(tenantKey: Uint8Array): PrefixChain {
  return { pads: padsOf(tenantKey), hashes: [], parts: [], missing: endOfBlock(0) }
}

/** Adds a piece of the conversation. A chain of 256 blocks stays unchanged. */
export function extendChain(chain: PrefixChain, piece: Uint8Array | string): void {
  const { pads, hashes } = chain
  let rest = typeof piece === 'string' ? Buffer.from(piece) : piece
  while (hashes.length < MOST_BLOCKS && rest.length >= chain.missing) {
    chain.parts.push(rest.subarray(0, chain.missing))
    rest = rest.subarray(chain.missing)
    hashes.push(hashOf(pads, hashes.at(-1) ?? '', chain.parts))
    chain.parts = []
    chain.missing = endOfBlock(hashes.length) - endOfBlock(hashes.length - 1)
  }
  if (hashes.length === MOST_BLOCKS || rest.length === 0) return
  chain.parts.push(rest)
  chain.missing -= rest.length
}
