import { HeadgateError } from '@headgate/gateway/ports'
import { createSubKeys, type SubKeys } from './sub-keys.ts'

/** Root secret for all stored encryption and signatures. It never reveals itself when printed. */
export interface Secret {
  /**
   * Keys of one purpose, such as `answers` or `callbacks`. Purposes are independent of each other. All processes with
   * the same secret derive the same keys.
   */
  subKeys(purpose: string): SubKeys
}

/** Minimum length: 32 characters. 32 random bytes in base64 have 44. */
const LEAST = 32
const MOST = 1_024
/** Maximum number of values: each additional value makes forgeries easier. */
const MOST_VALUES = 8

/**
 * Parses `new,old,…`: the first value seals and signs, all of them open and verify.
 * @throws HeadgateError that names the invalid value by its position and never reveals it
 */
export function createSecret(text: string): Secret {
  const values = text.trim().split(',')
  if (values.length > MOST_VALUES) throw wrong(`has ${values.length} values; the maximum is ${MOST_VALUES}`)
  for (const [index, value] of values.entries())
    checkValue(value, values.length === 1 ? 'is' : `has a value (number ${index + 1}) that is`)
  if (new Set(values).size < values.length) throw wrong('has the same value twice')

  const known = new Map<string, SubKeys>()
  return {
    subKeys: (purpose) => {
      let keys = known.get(purpose)
      if (!keys) {
        keys = createSubKeys(values, purpose)
        known.set(purpose, keys)
      }
      return keys
    },
  }
}

function checkValue(value: string, what: string): void {
  if (value === '') throw wrong(`${what} empty`)
  if (!/^[\x21-\x7e]*$/.test(value)) throw wrong(`${what} not entirely visible ASCII`)
  if (value.length < LEAST) throw wrong(`${what} ${value.length} characters long; at least ${LEAST} are required`)
  if (value.length > MOST) throw wrong(`${what} ${value.length} characters long; the maximum is ${MOST}`)
}

function wrong(problem: string): HeadgateError {
  return new HeadgateError('invalid-request', `The secret ${problem}.`)
}
