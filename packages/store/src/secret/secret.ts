import { HeadgateError } from '@headgate/gateway/ports'
import { createSubKeys, type SubKeys } from './sub-keys.ts'

/** What everything that is kept encrypted or signed hangs on. It shows nothing of itself, whatever prints it. */
export interface Secret {
  /**
   * The keys of one purpose: `answers`, `callbacks`. What one purpose sealed or signed is nothing to another. The same
   * word gives the same keys in every process that has the secret.
   */
  subKeys(purpose: string): SubKeys
}

/** Least characters: 32 of any text, or 32 random bytes in base64, which are 44. */
const LEAST = 32
const MOST = 1_024
/** Most values at a time: each that is old makes what is forged cheaper to try. */
const MOST_VALUES = 8

/**
 * Reads `new,old,…`: the first value seals and signs, all of them open and verify.
 * @throws HeadgateError that says which value is wrong, and never what it is.
 */
export function createSecret(text: string): Secret {
  const values = text.trim().split(',')
  if (values.length > MOST_VALUES) throw wrong(`has ${values.length} values; at most ${MOST_VALUES} are taken`)
  for (const [index, value] of values.entries())
    checkValue(value, values.length === 1 ? 'is' : `has a value (number ${index + 1}) that is`)
  if (new Set(values).size < values.length) throw wrong('has one value twice')

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
  if (!/^[\x21-\x7e]*$/.test(value)) throw wrong(`${what} not all visible ASCII`)
  if (value.length < LEAST) throw wrong(`${what} ${value.length} characters long; at least ${LEAST} are needed`)
  if (value.length > MOST) throw wrong(`${what} ${value.length} characters long; at most ${MOST} are taken`)
}

function wrong(problem: string): HeadgateError {
  return new HeadgateError('invalid-request', `The secret ${problem}.`)
}
