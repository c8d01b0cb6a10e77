import { HeadgateError, OUTCOMES } from '@headgate/gateway/ports'
import type { Bounds, OneOf, RowFilters } from '@headgate/store'
import { z } from '@hono/zod-openapi'
import { wholeNumber } from './schemas.ts'

/** Maximum number of values of a filter, and length of a value in characters. */
const VALUES = 50
const LONGEST = 1_000

/** Comma-separated values; `!` in front means none of them. */
function listFilter(example: string) {
  return z
    .string()
    .min(1)
    .max(VALUES * 202)
    .optional()
    .openapi({
      description: `Values separated by commas, at most ${VALUES}; with \`!\` in front, none of them. Commas in a value are written \`%2C\`.`,
      example,
    })
}

/** Dollars as a decimal. */
const Dollars = z
  .string()
  .regex(/^\d{1,7}(?:\.\d{1,9})?$/, 'Dollars, such as `0.25`.')
  .optional()
  .openapi({ example: '0.25' })

const Whole = wholeNumber(0, Number.MAX_SAFE_INTEGER).optional()

export const Tag = z
  .string()
  .regex(/^[a-z0-9_.-]{1,32}(?:=.{0,64})?$/, 'A tag such as `team=a`, or its name.')
  .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), 'A tag cannot contain control characters.')
  .openapi({ example: 'team=a' })

/** Query parameters that filter lists of requests. */
export const LIST_FILTERS = {
  key: listFilter('key_1,key_2'),
  project: listFilter('prj_default'),
  environment: listFilter('production'),
  member: listFilter('usr_1'),
  model: listFilter('!gpt-5,gpt-5-mini'),
  provider: listFilter('main'),
  endpoint: listFilter('eu'),
  family: listFilter('chat'),
  status: listFilter('429,500'),
  failure: listFilter('rate-limited'),
  outcome: listFilter('failed,cut'),
  why: listFilter('usage-unknown'),
  user: listFilter('customer-7').openapi({ description: 'End users, as callers claim; see `key`.' }),
  session: listFilter('session-1').openapi({ description: 'Sessions, as callers claim; see `key`.' }),
  stream: z.enum(['true', 'false']).optional(),
  tag: Tag.optional(),
  minCost: Dollars,
  maxCost: Dollars,
  minMs: Whole.openapi({ description: 'Minimum duration in milliseconds.' }),
  maxMs: Whole.openapi({ description: 'Maximum duration in milliseconds.' }),
  minTokens: Whole.openapi({ description: 'Minimum number of input and output tokens together.' }),
  maxTokens: Whole.openapi({ description: 'Maximum number of input and output tokens together.' }),
  refused: z
    .enum(['true', 'false'])
    .optional()
    .openapi({ description: '`false` leaves out requests that ended without a call of a provider. Default: `true`.' }),
}

const RowListQuery = z.object(LIST_FILTERS)
type RowListQuery = z.output<typeof RowListQuery>

const TEXTS = ['key', 'project', 'environment', 'member', 'model', 'provider', 'endpoint', 'family'] as const
const MORE_TEXTS = ['failure', 'why', 'user', 'session'] as const

/** Filters of rows from query parameters. @throws HeadgateError `invalid-request` with the invalid parameter */
export function rowFiltersOf(query: RowListQuery): RowFilters {
  const { status, outcome, stream, tag, minCost, maxCost, minMs, maxMs, minTokens, maxTokens } = query
  const filters: Record<string, OneOf> = {}
  for (const name of [...TEXTS, ...MORE_TEXTS]) {
    const text = query[name]
    if (text !== undefined) filters[name] = oneOf(valuesOf(name, text))
  }
  return {
    ...filters,
    ...(status !== undefined && { status: statusOf(valuesOf('status', status)) }),
    ...(outcome !== undefined && { outcome: outcomesOf(valuesOf('outcome', outcome)) }),
    ...(stream !== undefined && { stream: stream === 'true' }),
    ...(tag !== undefined && { tag: tagOf(tag) }),
    ...boundsOf('cost', nanosOf(minCost), nanosOf(maxCost)),
    ...boundsOf('duration', minMs, maxMs),
    ...boundsOf('tokens', minTokens, maxTokens),
  }
}

/** Tag filter of a string such as `team=a` or `team`. */
export function tagOf(text: string): { name: string; value?: string } {
  const mark = text.indexOf('=')
  return mark < 0 ? { name: text } : { name: text.slice(0, mark), value: text.slice(mark + 1) }
}

interface SeveralValues<Value extends string | number = string> {
  readonly values: readonly Value[]
  readonly isNot?: true | undefined
}

/** The only value, or all. */
function oneOf<Value extends string | number>(filter: SeveralValues<Value>): OneOf<Value> {
  const [first, second] = filter.values
  return first === undefined || second !== undefined || filter.isNot ? filter : first
}

function valuesOf(name: string, text: string): SeveralValues {
  const isNot = text.startsWith('!')
  const values = (isNot ? text.slice(1) : text).split(',').map((value) => value.replaceAll(/%2c/gi, ','))
  if (values.length > VALUES) throw invalid(name, `\`${name}\` has more than ${VALUES} values.`)
  if (values.some((value) => value === '' || value.length > LONGEST))
    throw invalid(name, `\`${name}\` has an empty or too long value. Write values separated by commas.`)
  return isNot ? { values, isNot } : { values }
}

function statusOf({ values, isNot }: SeveralValues): OneOf<number> {
  if (!values.every((value) => /^\d{1,3}$/.test(value))) throw invalid('status', '`status` must be HTTP statuses.')
  return oneOf({ values: values.map(Number), isNot })
}

function outcomesOf(filter: SeveralValues): OneOf {
  const unknown = filter.values.find((value) => !OUTCOMES.some((outcome) => outcome === value))
  if (unknown === undefined) return oneOf(filter)
  throw invalid('outcome', `There is no such outcome. Outcomes are: ${OUTCOMES.join(', ')}.`)
}

/** Nano-dollars of a decimal. */
function nanosOf(dollars: string | undefined): number | undefined {
  if (dollars === undefined) return undefined
  const [whole = '', part = ''] = dollars.split('.')
  return Number(`${whole}${part.padEnd(9, '0')}`)
}

function boundsOf<Name extends string>(
  name: Name,
  least: number | undefined,
  most: number | undefined,
): { readonly [Key in Name]?: Bounds } {
  if (least === undefined && most === undefined) return {}
  return { [name]: { least, most } } as { readonly [Key in Name]?: Bounds }
}

function invalid(param: string, message: string): HeadgateError {
  return new HeadgateError('invalid-request', message, { param })
}
