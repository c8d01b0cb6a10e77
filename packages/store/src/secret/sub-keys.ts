import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** The keys of one purpose. */
export interface SubKeys {
  /**
   * Encrypts, as text without characters that a URL or a header would change. `about` is what it belongs to, such as
   * the id of its row: it is not in the text, and opens nothing else.
   */
  seal(plain: Uint8Array, about: string): string
  /**
   * What was sealed; undefined where it was changed, belongs to something else, or was sealed by a secret that is not
   * known.
   */
  open(sealed: string, about: string): Buffer | undefined
  /** Whether it was sealed by an older value of the secret than the first, and should be sealed anew. */
  isOld(sealed: string): boolean
  /**
   * A signature over the parts, each of them as it is and in this order, that holds until `expires`, in seconds since
   * 1970.
   */
  sign(parts: readonly string[], expires: number): string
  /**
   * Whether the signature is ours and holds still, in constant time. `expires` and `signature` as the caller gave them.
   */
  verify(parts: readonly string[], expires: number, signature: string, now?: number): boolean
}

interface Keys {
  readonly id: string
  readonly seal: Buffer
  readonly sign: Buffer
}

const VERSION = 'v1'
const SALT = 'headgate'
const CIPHER = 'aes-256-gcm'
/**
 * The first part makes the key of this one message, so that one sub-key may seal more than the 2^32 that random nonces
 * allow.
 */
const SEED = 16
const NONCE = 12
const TAG = 16

/** Sub-keys of every value of a secret; the first seals and signs. */
export function createSubKeys(values: readonly string[], purpose: string): SubKeys {
  const all = values.map((value) => keysOf(value, purpose))
  const [newest] = all
  if (!newest) throw new TypeError('A secret has a value.')
  const byId = new Map(all.map((keys) => [keys.id, keys]))
  return {
    seal: (plain, about) => {
      const random = randomBytes(SEED + NONCE)
      const cipher = createCipheriv(CIPHER, messageKey(newest, random), random.subarray(SEED))
      cipher.setAAD(Buffer.from(about))
      const bytes = Buffer.concat([random, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
      return `${VERSION}.${newest.id}.${bytes.toString('base64url')}`
    },
    open: (sealed, about) => {
      const [version, id = '', text = '', ...more] = sealed.split('.')
      const keys = byId.get(id)
      if (version !== VERSION || !keys || more.length > 0) return undefined
      const bytes = canonicalBytes(text)
      return bytes && decrypted(keys, bytes, about)
    },
    isOld: (sealed) => sealed.split('.', 2)[1] !== newest.id,
    sign: (parts, expires) => signature(newest, parts, expires).toString('base64url'),
    verify: (parts, expires, given, now = Date.now()) => {
      const bytes = canonicalBytes(given)
      if (!bytes || !Number.isSafeInteger(expires) || expires * 1_000 <= now) return false
      let isOurs = false
      for (const keys of all) {
        const own = signature(keys, parts, expires)
        if (own.length === bytes.length && timingSafeEqual(own, bytes)) isOurs = true
      }
      return isOurs
    },
  }
}

function keysOf(value: string, purpose: string): Keys {
  const derive = (use: string, length: number) =>
    Buffer.from(hkdfSync('sha256', value, SALT, JSON.stringify([VERSION, use, purpose]), length))
  return { id: derive('id', 6).toString('base64url'), seal: derive('seal', 32), sign: derive('sign', 32) }
}

function messageKey({ seal }: Keys, random: Buffer): Buffer {
  return createHmac('sha256', seal).update(random.subarray(0, SEED)).digest()
}

function decrypted(keys: Keys, bytes: Buffer, about: string): Buffer | undefined {
  if (bytes.length < SEED + NONCE + TAG) return undefined
  const decipher = createDecipheriv(CIPHER, messageKey(keys, bytes), bytes.subarray(SEED, SEED + NONCE), {
    authTagLength: TAG,
  })
  decipher.setAAD(Buffer.from(about))
  decipher.setAuthTag(bytes.subarray(-TAG))
  const plain = decipher.update(bytes.subarray(SEED + NONCE, -TAG))
  try {
    return Buffer.concat([plain, decipher.final()])
  } catch {
    return undefined
  }
}

/** JSON keeps the parts apart: of `a`, `bc` and `ab`, `c` the signatures differ. */
function signature({ sign }: Keys, parts: readonly string[], expires: number): Buffer {
  return createHmac('sha256', sign)
    .update(JSON.stringify([expires, ...parts]))
    .digest()
}

/** The bytes of a text in base64url; undefined where other bytes of text would say the same. */
function canonicalBytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
