import { z } from '@hono/zod-openapi'
import type { ApiRoute } from '../../src/api/route.ts'
import type { Sample } from './samples.ts'

/** Text that only a developer understands, or that a validator, a store or a runtime writes. */
const DEVELOPERS: readonly RegExp[] = [
  /\bexpected\b|\breceived\b|invalid input|too (?:small|big)\b|must be equal to|must match|string to have|\bregex/i,
  /\bpattern\b|\bzod\b|typebox|\bajv\b|\bunion\b|\brefine|unrecognized|undefined|unexpected token|in JSON at/i,
  /sqlite|kysely|\bconstraint\b|syntax error|\brelation "|violates|duplicate key|no such (?:table|column)/i,
  /[<>]=|\bat \/|#\/|\[object|\bat \S+ \(|\.[jt]s:\d|\bnode:/,
  /\bNaN\b|\bnull\b|\b[A-Z]\w*Error\b|must NOT|instancePath|\bSELECT\b|\bINSERT\b|\bE[A-Z]{4,}\b/,
]

/** A part of a response to a wrong request that a page shows. */
interface ShownText {
  readonly where: string
  readonly text: string
}

/** Texts of a problem (RFC 9457) that pages show. */
function shownTexts(problem: Readonly<Record<string, unknown>>): readonly ShownText[] {
  const {
    title,
    detail,
    errors = [],
  } = problem as {
    readonly title?: unknown
    readonly detail?: unknown
    readonly errors?: readonly { readonly field: string; readonly message: unknown }[]
  }
  return [
    { where: 'title', text: String(title) },
    { where: 'detail', text: String(detail) },
    ...errors.map(({ field, message }) => ({ where: `errors ${field}`, text: String(message) })),
  ]
}

/** Reason that a text is not a sentence for users; undefined if it is one. */
export function wrongText({ where, text }: ShownText): string | undefined {
  // Names in backticks are names of the API.
  const prose = text.replaceAll(/`[^`]*`/g, '``')
  for (const pattern of DEVELOPERS) {
    const found = pattern.exec(prose)
    if (found) return `"${found[0]}" is for developers`
  }
  if (where === 'title') return /^[A-Z][a-z]/.test(text) ? undefined : 'no title'
  if (!/^[A-Z`“"]/.test(text)) return 'it does not begin like a sentence'
  if (!/[.!?)`]$/.test(text)) return 'it does not end like a sentence'
  return undefined
}

/** Response to a request, read. */
export interface ErrorResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Texts of an error that pages show and that are no sentences for users, each with its reason. */
export function wrongTexts({ status, headers, text }: ErrorResponse): readonly string[] {
  if (status < 400) return []
  if (status === 500) return [`500 ${text}`]
  if (headers.get('content-type') !== 'application/problem+json') return [`no problem: ${text.slice(0, 100)}`]
  return shownTexts(JSON.parse(text)).flatMap((shown) => {
    const reason = wrongText(shown)
    return reason === undefined ? [] : [`${shown.where}: ${reason}: ${shown.text.slice(0, 200)}`]
  })
}

interface Node {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly additionalProperties?: Node | boolean
  readonly items?: Node
  readonly anyOf?: readonly Node[]
}

const LONG = 'x'.repeat(5_000)
/** Values of which most are wrong in any field. */
const VALUES: readonly unknown[] = [
  '',
  ' ',
  'x',
  LONG,
  'not-one-of-them',
  '\u0000',
  -1,
  0.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  true,
  null,
  [],
  [null],
  ['x', 'x'],
  [LONG],
  {},
  { unknown: 1 },
]
/** Values of parameters, which are always text. */
const PARAMETERS: readonly string[] = [
  '',
  ' ',
  'x',
  LONG,
  'not-one-of-them',
  '-1',
  '0.5',
  '1e300',
  'null',
  '[]',
  '%00',
  'a,a',
  '2026-13-45',
]

/** Values of a schema with one wrong value in one place each. */
function* wrongIn({ properties, items, anyOf = [], additionalProperties }: Node): Generator<unknown> {
  yield* VALUES
  for (const one of anyOf) yield* wrongIn(one)
  if (items) for (const value of wrongIn(items)) yield [value]
  for (const [name, one] of Object.entries(properties ?? {})) for (const value of wrongIn(one)) yield { [name]: value }
  if (typeof additionalProperties === 'object') for (const value of wrongIn(additionalProperties)) yield { name: value }
}

const schemaOf = (shape: z.ZodType): Node => z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as Node

function merged(sample: unknown, own: unknown): unknown {
  const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(sample) || !isObject(own)) return own
  const all = new Map(Object.entries(sample))
  for (const [name, value] of Object.entries(own)) all.set(name, merged(all.get(name), value))
  return Object.fromEntries(all)
}

function without(sample: unknown, name: string): unknown {
  return Object.fromEntries(Object.entries(Object(sample)).filter(([key]) => key !== name))
}

/**
 * Requests of a route with one mistake each: a missing field, a value of another type, too long, out of range or of no
 * known choice, an unknown field, an unknown id, a parameter of the wrong form.
 */
export function* wrongRequests({ method, body, params, query }: ApiRoute, sample: Sample): Generator<Sample> {
  if (body) {
    for (const name of Object.keys(body.shape)) yield { ...sample, body: without(sample.body, name) }
    for (const own of wrongIn(schemaOf(body))) yield { ...sample, body: merged(sample.body, own) }
    yield { ...sample, body: undefined }
  } else if (method !== 'get') yield { ...sample, body: { unknown: 1 } }
  for (const name of Object.keys(query.shape))
    for (const value of PARAMETERS) yield { ...sample, query: { ...sample.query, [name]: value } }
  for (const name of Object.keys(query.shape)) {
    const { [name]: _, ...rest } = sample.query ?? {}
    yield { ...sample, query: rest }
  }
  yield { ...sample, query: { ...sample.query, unknown: 'x' } }
  for (const name of Object.keys(params.shape))
    for (const value of PARAMETERS) if (value !== '') yield { ...sample, params: { ...sample.params, [name]: value } }
}
