import { HeadgateError, invalid } from '../errors.ts'
import type { ToolCallBlock } from './block.ts'
import { isExactNumber, parseArgumentText } from './exact.ts'
import { isObject, type Json, object } from './json.ts'
import { changed, type Loss, under } from './loss.ts'

/**
 * JSON text of a value in a body.
 * @param at path of the field, for a request.
 * @throws HeadgateError if the value is nested too deep to write: `invalid-request` with `at`, otherwise `upstream`.
 */
export function jsonText(value: unknown, at?: string): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    if (at !== undefined) throw invalid(at, `${at} is nested too deep. Reduce its nesting.`)
    throw new HeadgateError('upstream', 'The provider sent arguments that are nested too deep.')
  }
}

/** Arguments of a call in a response, as JSON text. Some servers send the object instead. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : jsonText(value)
}

/** Parsed text, if it is a JSON object that can be written again. */
export function parseObject(text: string): Json | undefined {
  const value = parseArgumentText(text)
  return isExactNumber(value) ? undefined : object(value)
}

/** Parsed arguments of a call. An empty string is an empty object; undefined if the text is not a JSON object. */
export function parseArguments(text: string): Json | undefined {
  return text.trim() === '' ? {} : parseObject(text)
}

/** Property for arguments of another type than object. */
export const VALUE = '_value'

/**
 * Arguments of a call as an object. The free text of a custom tool becomes the property `input`, and a value that is
 * not an object the property `_value`.
 * @example
 * argumentsObject({ type: 'tool-call', id: '1', name: 'add', arguments: '{"a":1}' }, losses) // { a: 1 }
 */
export function argumentsObject(block: ToolCallBlock, losses: Loss[]): Json {
  if (block.custom) return { input: block.arguments }
  const path = under(block, 'arguments')
  if (block.arguments.trim() === '') return {}
  const value = parseArgumentText(block.arguments)
  if (value === undefined || value === null) {
    changed(losses, path, 'the arguments are not a JSON object, so an empty one is sent')
    return {}
  }
  if (isObject(value) && !isExactNumber(value)) return value
  changed(losses, path, WRAPPED)
  return { [VALUE]: value }
}

/** Reason of the loss for wrapped arguments. */
export const WRAPPED = `the arguments are not a JSON object, so they are sent in the property ${VALUE}`
