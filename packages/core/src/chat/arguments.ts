import { HeadgateError, invalid } from '../errors.ts'
import type { ToolCallBlock } from './block.ts'
import { type Json, object, parse } from './json.ts'
import { changed, type Loss, under } from './loss.ts'

/**
 * A value that came with a body as raw JSON text.
 * @throws HeadgateError when it is nested so deep that it can not be written: `invalid-request` for the field `at` of a request,
 * `upstream` without one.
 */
export function jsonText(value: unknown, at?: string): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    if (at !== undefined) throw invalid(at, `${at} is nested too deep. Flatten it.`)
    throw new HeadgateError('upstream', 'The provider sent arguments that are nested too deep.')
  }
}

/** The arguments of an answer's call as raw text: JSON text as it is, and what some servers send instead, the object itself. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : jsonText(value)
}

/** The object that a text is, if it is one that can be written again. */
export function parseObject(text: string): Json | undefined {
  return object(parse(text))
}

/** The object that arguments are: empty text means none, and undefined that they are no JSON object. */
export function parseArguments(text: string): Json | undefined {
  return text.trim() === '' ? {} : parseObject(text)
}

/** Integers of 16 digits and more may not fit a double, which is all that an object has. */
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

/** The arguments of a call as an object; the free text of a custom tool is its one property, `input`. */
export function argumentsObject(block: ToolCallBlock, losses: Loss[]): Json {
  if (block.custom) return { input: block.arguments }
  const value = parseArguments(block.arguments)
  if (!value) changed(losses, under(block, 'arguments'), 'the arguments are no JSON object: an empty one is sent')
  else if (hasUnsafeNumber(block.arguments)) changed(losses, under(block, 'arguments'), 'large numbers are rounded')
  return value ?? {}
}
