import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** Keys of one purpose. */
export interface SubKeys {
  /**
   * Encrypts bytes as a string that is safe in URLs and headers.
   * @param about owner of the data, such as the id of its row. It is not part of the string, but required to open it
   */
  seal(plain: Uint8Array, about: string): string
  /**
   * Decrypts a sealed string. Returns undefined if it was changed, belongs to another owner, or was sealed with an
   * unknown secret.
   */
  open(sealed: string, about: string): Buffer | undefined
  /** True if it was sealed with an older value of the secret and should be sealed again. */
  isOld(sealed: string): boolean
  /** Signature over the parts in this order, valid until `expires`, in seconds since 1970. */
  sign(parts: readonly string[], expires: number): string
  /** Verifies a signature and its expiry in constant time. `expires` and `signature` are the values received. */
  verify(parts: readonly string[], expires: number, signature: string, now?: number): boolean
}

interface DerivedKeys {
  readonly id: string
  readonly seal: Buffer
  readonly sign: Buffer
}

const VERSION = 'v1'
const SALT = 'headgate'
const CIPHER = 'aes-256-gcm'
/**
 * Seed of a separate key per message: a sub-key can then seal more messages than the 2^32 of random nonces.
 */
const SEED = 16
const NONCE = 12
const TAG = 16

/** Sub-keys of every value of a secret; the first seals and signs. */
export function createSubKeys(values: readonly string[], purpose: string): SubKeys {
  const all = values.map((value) => keysOf(value, purpose))
  const [newest] = all
  if (!newest) throw new TypeError('A secret must have a value.')
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

function keysOf(value: string, purpose: string): DerivedKeys {
  const derive = (use: string, length: number) =>
    Buffer.from(hkdfSync('sha256', value, SALT, JSON.stringify([VERSION, use, purpose]), length))
  return { id: derive('id', 6).toString('base64url'), seal: derive('seal', 32), sign: derive('sign', 32) }
}

function messageKey({ seal }: DerivedKeys, random: Buffer): Buffer {
  return createHmac('sha256', seal).update(random.subarray(0, SEED)).digest()
}

function decrypted(keys: DerivedKeys, bytes: Buffer, about: string): Buffer | undefined {
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

/** JSON separates the parts: `a`, `bc` and `ab`, `c` have different signatures. */
function signature({ sign }: DerivedKeys, parts: readonly string[], expires: number): Buffer {
  return createHmac('sha256', sign)
    .update(JSON.stringify([expires, ...parts]))
    .digest()
}

/** Decoded base64url; undefined if the string is not its canonical encoding. */
function canonicalBytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
