import * as crypto from 'node:crypto'
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { HeadgateError } from '@headgate/gateway/ports'
import { MEMORY, type Phc, readPhc, writePhc } from './phc.ts'

/** Hashes passwords, a few at a time. */
export interface Hasher {
  /** A PHC string. @throws HeadgateError `over-limit` when too many wait. */
  hash(password: string): Promise<string>
  /**
   * Whether it is the password of a hash. For `null`, of an account that is not there or has none, the same work is
   * done for nothing.
   * @throws HeadgateError `over-limit` when too many wait; `internal` for a hash that this Node can not make.
   */
  verify(password: string, hash: string | null): Promise<Verdict>
}

export interface Verdict {
  readonly isRight: boolean
  /** Whether the hash was made by other parameters than new ones are. */
  readonly isOld: boolean
}

/** N = 2^ln. */
export interface ScryptParameters {
  readonly ln: number
  readonly r: number
  readonly p: number
}

export interface HasherOptions {
  /** Default N = 2^15, r = 8, p = 3: 32 MiB and a third of a second. */
  readonly parameters?: ScryptParameters
  /** How many at once, and how many may wait; default 2 and 20. */
  readonly atOnce?: number
  readonly waiting?: number
}

const USUAL: ScryptParameters = { ln: 15, r: 8, p: 3 }
const SALT = 16
const HASH = 32
/** How long whoever comes too many should wait, in milliseconds. */
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
      if (!known) throw new HeadgateError('internal', 'The hash of a password can not be read. Set the password anew.')
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
        'A password was hashed by argon2id, which this Node does not have. Node 24.7 and later do.',
      ),
    )
  return promise
}

/** Has `atOnce` of them run, and `most` wait. */
function createTurns(atOnce: number, most: number): <Result>(run: () => Promise<Result>) => Promise<Result> {
  const queue: (() => void)[] = []
  let running = 0
  return async (run) => {
    if (running >= atOnce) {
      if (queue.length >= most)
        throw new HeadgateError('over-limit', 'Too many people sign in at once. Try again.', { retryAfterMs: LATER })
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
