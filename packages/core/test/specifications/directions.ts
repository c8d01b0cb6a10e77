import { isObject, type Json, text } from '../../src/canonical/json.ts'
import type { Loss } from '../../src/canonical/loss.ts'
import { HeadgateError } from '../../src/errors.ts'
import { translateRequest } from '../../src/translate.ts'
import { valueAt } from '../recordings/leaves.ts'
import type { FormatId } from '../recordings/recordings.ts'
import { TOGETHER } from '../recordings/request-rules.ts'
import { PDF, PNG } from '../support/media.ts'
import { requestOf } from './callers.ts'
import { readDocument, schemasOf } from './documents.ts'
import { IMPLIED } from './implied.ts'
import { type Knowledge, silentFields, without } from './silent-fields.ts'
import { REQUESTS, type Specification } from './validator.ts'

/** What was found wrong with one generated request. */
export interface Finding {
  readonly seed: number
  readonly problem: string
}

/** How a generated request went. */
export interface Outcome {
  readonly findings: readonly string[]
  /** Reasons of refusals; what they named was left out until the request passed. */
  readonly refusals: readonly string[]
  readonly passed: boolean
}

export const MODELS: Readonly<Record<FormatId, readonly string[]>> = {
  'chat-completions': ['gpt-4o', 'gpt-5.4'],
  messages: ['claude-sonnet-4-5', 'claude-opus-4-8'],
  'generate-content': ['gemini-2.5-flash', 'gemini-3.5-flash'],
  responses: ['gpt-4o', 'gpt-5.4'],
}

function isDocument(body: Json, path: string): boolean {
  const around = valueAt(body, path.replace(/(\.(source|file))?\.\w+$/, ''))
  return /document|file|pdf/.test(String(isObject(around) ? around['type'] : ''))
}

function knowledgeOf(from: FormatId, to: FormatId): Knowledge {
  return {
    alternatives: (key, value) => alternatives(from, key, value),
    together: TOGETHER[from],
    isImplied: (path, value) =>
      IMPLIED.some(([pattern, ...rest]) => pattern.test(path) && rest.every((test) => test(value, to))),
  }
}

const MOST_REFUSALS = 60

function translated(body: Json, from: FormatId, to: FormatId, model: string): { body: Json; lost: readonly Loss[] } {
  const options = { from, to, model, stream: false }
  const first = translateRequest(body, options)
  if (first.body) return { body: first.body, lost: first.lost }
  const withMedia = Object.fromEntries(
    first.fetch.map(({ path, url }) => [
      url,
      { data: Buffer.concat([isDocument(body, path) ? PDF : PNG, Buffer.from(url)]) },
    ]),
  )
  const second = translateRequest(body, { ...options, withMedia })
  return { body: second.body ?? {}, lost: second.lost }
}

/** The request of a seed without what is refused in a direction; undefined where nothing is left. */
export function requestFor(seed: number, from: FormatId, to: FormatId, model: string): Json | undefined {
  let body: Json | undefined = from === 'generate-content' ? requestOf(from, seed) : { ...requestOf(from, seed), model }
  for (let count = 0; body && count < MOST_REFUSALS; count++) {
    try {
      translated(body, from, to, model)
      return body
    } catch (error) {
      if (!HeadgateError.is(error)) throw error
      body = repaired(body, error.param)
    }
  }
  return undefined
}

/**
 * Sends the request of a seed in a direction: what is refused is left out, what is sent must be valid, and nothing may
 * vanish.
 */
export function tried(seed: number, from: FormatId, to: FormatId, breaks: Specification): Outcome {
  const models = MODELS[to]
  const model = models[seed % models.length] ?? ''
  const refusals: string[] = []
  let body: Json = from === 'generate-content' ? requestOf(from, seed) : { ...requestOf(from, seed), model }
  for (let count = 0; count < MOST_REFUSALS; count++) {
    try {
      const { body: sent, lost } = translated(body, from, to, model)
      const translate = (other: Json) => {
        try {
          return translated(other, from, to, model)
        } catch (error) {
          if (HeadgateError.is(error)) return undefined
          throw error
        }
      }
      const findings = [
        ...breaks(sent).map((broken) => `breaks the specification: ${broken}`),
        ...silentFields(body, translate, knowledgeOf(from, to)).map((path) => `is lost silently: ${path}`),
        ...lost.filter(({ path }) => path === '').map(() => 'a loss has no path'),
      ]
      return { findings, refusals, passed: true }
    } catch (error) {
      if (!HeadgateError.is(error)) throw error
      refusals.push(error.message)
      const next = repaired(body, error.param)
      if (!next) return { findings: [], refusals, passed: false }
      body = next
    }
  }
  return { findings: [], refusals, passed: false }
}

/** The body without what the error names, or without what is around it where nothing is left. */
function repaired(body: Json, param: string | undefined): Json | undefined {
  if (param === undefined) return undefined
  const steps = stepsOf(param)
  for (let length = steps.length; length > 0; length--) {
    const path = steps.slice(0, length)
    if (!has(body, path)) continue
    return withoutChoice(without(body, trimmed(body, path)))
  }
  return undefined
}

/**
 * Up to the last list item, as most fields are required by what they are in; an item that would be left with an empty
 * list goes as well.
 */
function trimmed(body: Json, steps: readonly Step[]): readonly Step[] {
  const last = steps.findLastIndex((step) => typeof step === 'number')
  if (last === -1) return steps
  const list = steps.slice(0, last).reduce((value: unknown, step) => (value as Record<Step, unknown>)[step], body)
  const isOnly = Array.isArray(list) && list.length === 1
  return isOnly && last > 1 ? trimmed(body, steps.slice(0, last)) : steps.slice(0, last + 1)
}

/** Without tools there is nothing to choose. */
function withoutChoice(body: Json): Json {
  if (!Array.isArray(body['tools']) || body['tools'].length > 0) return body
  const { tools: _, tool_choice: __, parallel_tool_calls: ___, toolConfig: ____, ...rest } = body
  return rest
}

type Step = string | number

function stepsOf(path: string): Step[] {
  return (path.match(/[^.[\]]+/g) ?? []).map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}

function has(value: unknown, [step, ...rest]: readonly Step[]): boolean {
  if (step === undefined) return true
  if (Array.isArray(value)) return typeof step === 'number' && step < value.length && has(value[step], rest)
  return isObject(value) && Object.hasOwn(value, step) && has(value[step], rest)
}

const words = new Map<FormatId, Map<string, Set<unknown>>>()

/** Other values of a field: the words that the specification has for its key, other numbers, the other truth. */
function alternatives(format: FormatId, key: string, value: unknown): unknown[] {
  if (typeof value === 'boolean') return [!value]
  if (typeof value === 'number') return [value + 1, value / 2, value + 1024]
  if (typeof value !== 'string') return []
  if (/^(iVBOR|data:image)/.test(value)) return [value.replace('iVBOR', 'iVBOS')]
  const known = words.get(format) ?? collected(format)
  words.set(format, known)
  const others = [...(known.get(key) ?? [])].filter((other) => other !== value)
  return others.length > 0 ? others.slice(0, 8) : [`${value}q`, value.replace(/\w/, 'Z')]
}

function collected(format: FormatId): Map<string, Set<unknown>> {
  const schemas = schemasOf(readDocument(REQUESTS[format].file))
  const out = new Map<string, Set<unknown>>()
  const visit = (schema: unknown, key: string): void => {
    if (Array.isArray(schema)) for (const item of schema) visit(item, key)
    if (!isObject(schema)) return
    if (Array.isArray(schema['enum']) && key !== '') {
      const found = out.get(key) ?? new Set()
      for (const word of schema['enum']) found.add(word)
      out.set(key, found)
    }
    const ref = text(schema['$ref'])
    if (ref !== undefined && key !== '') visit(wordsAt(schemas, ref), key)
    for (const [name, inner] of Object.entries(schema)) {
      if (name === 'properties' && isObject(inner))
        for (const [property, one] of Object.entries(inner)) visit(one, property)
      else visit(inner, name === 'items' || name === 'anyOf' || name === 'oneOf' || name === 'allOf' ? key : '')
    }
  }
  visit(readDocument(REQUESTS[format].file), '')
  return out
}

/** A named schema that is an enumeration. */
function wordsAt(schemas: Json, ref: string): unknown {
  const schema = schemas[ref.slice(ref.lastIndexOf('/') + 1)]
  return isObject(schema) && Array.isArray(schema['enum']) ? { enum: schema['enum'] } : undefined
}
