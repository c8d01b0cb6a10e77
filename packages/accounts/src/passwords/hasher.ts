import * as crypto from 'node:crypto'
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { HeadgateError } from '@headgate/gateway/ports'
import { MEMORY, type Phc, readPhc, writePhc } from './phc.ts'

/** Password hasher with limited concurrency. */
export interface Hasher {
  /** PHC string of a password. @throws HeadgateError `over-limit` if too many calls wait. */
  hash(password: string): Promise<string>
  /**
   * Compares a password with a hash. `null` means a missing account or password and takes the same time.
   * @throws HeadgateError `over-limit` if too many calls wait; `internal` for a hash that this Node cannot compute.
   */
  verify(password: string, hash: string | null): Promise<PasswordMatch>
}

export interface PasswordMatch {
  readonly isRight: boolean
  /** True if the hash has other parameters than new ones. */
  readonly isOld: boolean
}

/** Parameters of scrypt; N = 2^ln. */
export interface ScryptParameters {
  readonly ln: number
  readonly r: number
  readonly p: number
}

export interface HasherOptions {
  /** Default: N = 2^15, r = 8, p = 3, which takes 32 MiB and a third of a second. */
  readonly parameters?: ScryptParameters
  /** Maximum number of concurrent calls. Default: 2. */
  readonly atOnce?: number
  /** Maximum number of waiting calls. Default: 20. */
  readonly waiting?: number
}

const USUAL: ScryptParameters = { ln: 15, r: 8, p: 3 }
const SALT = 16
const HASH = 32
/** Time after which callers can retry, in milliseconds. */
const LATER = 2_000

export function createHasher({ parameters = USUAL, atOnce = 2, waiting = 20 }: HasherOptions = {}): Hasher {
  const inTurn = createTurns(atOnce, waiting)
  const nobodys: Phc = { kind: 'scrypt', ...parameters, salt: randomBytes(SALT), hash: randomBytes(HASH) }

  return {
    hash: (password) =>
      inTurn(async () => {
        const salt = randomBytes(SALT)
        const hash = await derive(password, { kind: 'scrypt', ...parameters, salt, hash: Buffer.alloc(HASH) })
        return writePhc({ ...parameters, salt, hash })
      }),
    async verify(password, text) {
      const known = text === null ? nobodys : readPhc(text)
      if (!known) throw new HeadgateError('internal', 'The hash of a password cannot be read. Set a new password.')
      const made = await inTurn(() => derive(password, known))
      const isRight = timingSafeEqual(made, known.hash) && known !== nobodys
      return { isRight, isOld: !isOf(known, parameters) }
    },
  }
}

function isOf(phc: Phc, { ln, r, p }: ScryptParameters): boolean {
  return phc.kind === 'scrypt' && phc.ln === ln && phc.r === r && phc.p === p && phc.hash.length === HASH
}

function derive(password: string, phc: Phc): Promise<Buffer> {
  const text = password.normalize('NFKC')
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const done = (error: Error | null, key: Buffer): void => (error ? reject(error) : resolve(key))
  const { salt, hash } = phc
  if (phc.kind === 'scrypt')
    scrypt(text, salt, hash.length, { N: 2 ** phc.ln, r: phc.r, p: phc.p, maxmem: MEMORY * 2 }, done)
  else if (typeof crypto.argon2 === 'function') {
    const { m, t, p } = phc
    crypto.argon2(
      'argon2id',
      { message: text, nonce: salt, memory: m, passes: t, parallelism: p, tagLength: hash.length },
      done,
    )
  } else
    reject(
      new HeadgateError(
        'internal',
        'A password was hashed with argon2id, which this version of Node does not support. Use Node 24.7 or later.',
      ),
    )
  return promise
}

/** Queue that runs `atOnce` calls concurrently and lets `most` calls wait. */
function createTurns(atOnce: number, most: number): <Result>(run: () => Promise<Result>) => Promise<Result> {
  const queue: (() => void)[] = []
  let running = 0
  return async (run) => {
    if (running >= atOnce) {
      if (queue.length >= most)
        throw new HeadgateError('over-limit', 'Too many concurrent sign-ins. Try again.', { retryAfterMs: LATER })
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running += 1
    try {
      return await run()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running -= 1
    }
  }
}
