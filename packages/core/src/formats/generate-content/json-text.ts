import { isObject, type Json, parse } from '../../chat/json.ts'
import { changed, type Loss } from '../../chat/loss.ts'
import { HeadgateError, invalid } from '../../errors.ts'

/**
 * A value that came with a body as JSON text.
 * @throws HeadgateError when it is nested so deep that it can not be written: `invalid-request` for the field `at` of a request,
 * `upstream` without one.
 */
export function jsonText(value: unknown, at?: string): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    if (at !== undefined) throw invalid(at, `${at} is nested too deep. Flatten it.`)
    throw new HeadgateError('upstream', 'The upstream sent arguments that are nested too deep.')
  }
}

/** Integers of 16 digits and more may not fit a double, which is all that the wire has. */
const LONG_NUMBER = /\d{16}/

/** Whether numbers of the text would change when it is read. */
export function hasUnsafeNumber(text: string): boolean {
  if (!LONG_NUMBER.test(text)) return false
  let unsafe = false
  try {
    JSON.parse(text, (_, value: unknown) => {
      if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) unsafe = true
      return value
    })
  } catch {
    return false
  }
  return unsafe
}

/** Shorter texts can not be nested so deep that writing them would exhaust the stack. */
const SHALLOW = 4096

/** The object that a text is, if it is one that can be written again. */
export function parseObject(text: string): Json | undefined {
  const value = parse(text)
  if (!isObject(value)) return undefined
  if (text.length <= SHALLOW) return value
  try {
    JSON.stringify(value)
    return value
  } catch {
    return undefined
  }
}

/** Arguments of a call as an object. Empty text means none; what is no object is left out, and that is declared. */
export function writeArguments(text: string, at: string | undefined, losses: Loss[]): Json {
  if (text.trim() === '') return {}
  const value = parseObject(text)
  if (!value) {
    changed(losses, at, 'the arguments are no JSON object')
    return {}
  }
  if (hasUnsafeNumber(text)) changed(losses, at, 'large numbers are rounded')
  return value
}
