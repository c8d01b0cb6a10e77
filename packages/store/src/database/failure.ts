/** SQLite result codes for a rejected value: too big, constraint, mismatch, out of range. */
const REFUSALS: ReadonlySet<number> = new Set([18, 19, 20, 25])
/** Postgres error classes for a rejected value: data, integrity, program limits. */
const REFUSED = /^(?:22|23|54)...$/

/** Socket and Postgres codes for a server that is unreachable, starting, stopping or out of connections. */
const AWAY_CODES =
  /^(?:E(?:CONNREFUSED|CONNRESET|CONNABORTED|HOSTUNREACH|NETUNREACH|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN)|08...|53300|57P0[1-5])$/
/** Messages of `pg` without a code. */
const AWAY_MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** SQLite: malformed, and not a database. */
const DAMAGED: ReadonlySet<number> = new Set([11, 26])

/** SQLite: busy, and locked by another statement. Postgres: not serializable, deadlock. */
const BUSY = 5
const CONTENDED: ReadonlySet<number> = new Set([BUSY, 6])
const CONTENDED_CODES: ReadonlySet<string> = new Set(['40001', '40P01'])
/** Postgres: the lock was not available within `lock_timeout`. */
const LOCK_TIMEOUT = '55P03'

/** True if the written row is invalid, so that the store will never accept it. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return true
  const { errcode, code } = codesOf(error)
  return REFUSALS.has(errcode) || REFUSED.test(code)
}

/** True if another transaction interfered, so that a retry may succeed immediately. */
export function isContended(error: unknown): boolean {
  const { errcode, code } = codesOf(error)
  return CONTENDED.has(errcode) || CONTENDED_CODES.has(code)
}

/** True if a lock was not available within Postgres' `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return codesOf(error).code === LOCK_TIMEOUT
}

/**
 * True if the store did not answer: the server is unreachable, or another process holds the lock of the file. The same
 * call may succeed later.
 */
export function isAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isAway)
  const { errcode, code } = codesOf(error)
  return errcode === BUSY || AWAY_CODES.test(code) || (error instanceof Error && AWAY_MESSAGES.test(error.message))
}

/** True if the SQLite file is malformed or not a database. */
export function isDamaged(error: unknown): boolean {
  return DAMAGED.has(codesOf(error).errcode)
}

function codesOf(error: unknown): { errcode: number; code: string } {
  if (!(error instanceof Error)) return { errcode: -1, code: '' }
  const errcode = 'errcode' in error ? Number(error.errcode) & 0xff : -1
  const code = 'code' in error && errcode === -1 ? String(error.code) : ''
  return { errcode, code }
}
