/** Parsed PHC string of a password hash. */
export type Phc =
  | {
      readonly kind: 'scrypt'
      readonly ln: number
      readonly r: number
      readonly p: number
      readonly salt: Buffer
      readonly hash: Buffer
    }
  | {
      readonly kind: 'argon2id'
      readonly m: number
      readonly t: number
      readonly p: number
      readonly salt: Buffer
      readonly hash: Buffer
    }

const SCRYPT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/
const ARGON2 = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/** Maximum memory for verifying a hash, in bytes. */
export const MEMORY = 256 * 2 ** 20

/**
 * Parsed PHC string of scrypt or argon2id; undefined for any other text, and for hashes that are too expensive to
 * verify.
 */
export function readPhc(text: string): Phc | undefined {
  const scrypt = SCRYPT.exec(text)
  if (scrypt) {
    const [ln, r, p] = scrypt.slice(1, 4).map(Number) as [number, number, number]
    const isSound = ln >= 1 && r >= 1 && p >= 1 && p <= 16 && 128 * 2 ** ln * r <= MEMORY
    return isSound ? { kind: 'scrypt', ln, r, p, ...bytes(scrypt) } : undefined
  }
  const argon2 = ARGON2.exec(text)
  if (!argon2) return undefined
  const [m, t, p] = argon2.slice(1, 4).map(Number) as [number, number, number]
  const isSound = m >= 8 * p && t >= 1 && t <= 16 && p >= 1 && p <= 16 && m * 1024 <= MEMORY
  return isSound ? { kind: 'argon2id', m, t, p, ...bytes(argon2) } : undefined
}

export function writePhc({ ln, r, p, salt, hash }: Omit<Extract<Phc, { kind: 'scrypt' }>, 'kind'>): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`
}

function bytes([, , , , salt = '', hash = '']: readonly string[]): { salt: Buffer; hash: Buffer } {
  return { salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') }
}

/** Base64 without padding, as in PHC strings. */
function base64(data: Buffer): string {
  return data.toString('base64').replace(/=+$/, '')
}
