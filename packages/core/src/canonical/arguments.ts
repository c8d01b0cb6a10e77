import { HeadgateError, invalid } from '../errors.ts'
import type { ToolCallBlock } from './block.ts'
import { isExactNumber, parseArgumentText } from './exact.ts'
import { isObject, type Json, object } from './json.ts'
import { changed, type Loss, under } from './loss.ts'

/**
 * A value that came with a body as raw JSON text.
 * @throws HeadgateError when it is nested so deep that it can not be written: `invalid-request` for the field `at` of a
 * request,
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

/**
 * The arguments of an answer's call as raw text: JSON text as it is, and what some servers send instead, the object
 * itself.
 */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : jsonText(value)
}

/** The object that a text is, if it is one that can be written again. */
export function parseObject(text: string): Json | undefined {
  const value = parseArgumentText(text)
  return isExactNumber(value) ? undefined : object(value)
}

/** The object that arguments are: empty text means none, and undefined that they are no JSON object. */
export function parseArguments(text: string): Json | undefined {
  return text.trim() === '' ? {} : parseObject(text)
}

/** Name of the one property that stands for arguments which are a value, but no object. */
export const VALUE = '_value'

/**
 * The arguments of a call as an object; the free text of a custom tool is its one property, `input`, and any other
 * value that is no object its property `_value`.
 */
export function argumentsObject(block: ToolCallBlock, losses: Loss[]): Json {
  if (block.custom) return { input: block.arguments }
  const path = under(block, 'arguments')
  if (block.arguments.trim() === '') return {}
  const value = parseArgumentText(block.arguments)
  if (value === undefined || value === null) {
    changed(losses, path, 'the arguments are no JSON object: an empty one is sent')
    return {}
  }
  if (isObject(value) && !isExactNumber(value)) return value
  changed(losses, path, WRAPPED)
  return { [VALUE]: value }
}

/** What is said of arguments that had to become an object. */
export const WRAPPED = `the arguments are no JSON object: they are its property ${VALUE}`
