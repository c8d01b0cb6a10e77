import { ATTEMPT_FIELDS, USAGE_FIELDS } from '@headgate/store/sql'
import { z } from '@hono/zod-openapi'
import { Charge, Instant, listOf } from './schemas.ts'

const Count = z.int().min(0)
const Maybe = Count.nullable().openapi({ description: 'Null = unknown.' })
const Money = Charge.nullable()

/** Schemas of the kinds of fields, and what a description says of each. */
const KINDS = {
  uuid: [z.string(), ''],
  'maybe-uuid': [z.string().nullable(), ''],
  text: [z.string(), ''],
  'maybe-text': [z.string().nullable(), ''],
  flag: [z.boolean(), ''],
  time: [Instant, 'Unix milliseconds.'],
  duration: [Count, ''],
  'maybe-duration': [Maybe, ''],
  status: [z.int(), ''],
  'maybe-status': [z.int().nullable(), ''],
  count: [Maybe, 'Null = unknown.'],
  money: [Money, 'In nano-dollars; null = unknown.'],
  units: [z.record(z.string(), z.number()).readonly().nullable(), ''],
  tags: [z.record(z.string(), z.string()).readonly().nullable(), ''],
  losses: [listOf(z.unknown()), ''],
} as const

type KindOf<One> = One extends { readonly kind: infer Name extends keyof typeof KINDS } ? Name : never

/** Schemas of fields by their names. */
type Shape<All> = { readonly [Name in keyof All]: (typeof KINDS)[KindOf<All[Name]>][0] }

/** Properties of an object that has the fields, with their descriptions. */
export function shapeOf<All extends Readonly<Record<string, { kind: keyof typeof KINDS; description: string }>>>(
  fields: All,
): Shape<All> {
  const shape = Object.entries(fields).map(([name, { kind, description }]) => {
    const [schema, note] = KINDS[kind]
    return [name, schema.openapi({ description: note === '' ? description : `${description} ${note}` })]
  })
  return Object.fromEntries(shape) as Shape<All>
}

const ROW = shapeOf(USAGE_FIELDS)
const OWNER = { project: z.string().nullable(), environment: z.string().nullable(), member: z.string().nullable() }

export const UsageRow = z.object({ ...ROW, ...OWNER, tags: ROW.tags.optional() }).openapi('UsageRow')

const Attempt = z.object(shapeOf(ATTEMPT_FIELDS)).openapi('UsageAttempt')

const Arithmetic = z
  .object({
    priceId: z.string(),
    tier: z
      .string()
      .optional()
      .openapi({ description: 'The tier of service whose rates these are; absent = the usual one.' }),
    lines: listOf(
      z.object({
        kind: z.string().openapi({ description: 'A kind of tokens, none counted twice, or the name of a unit.' }),
        count: Count,
        rate: Count.openapi({ description: 'Nano-dollars per million tokens, or per unit.' }),
        per: z.enum(['million', 'unit']),
        amount: Charge,
      }),
    ),
    isWhole: z.boolean().openapi({ description: 'Whether the lines are all of it.' }),
  })
  .openapi('Arithmetic')

/** One request with the calls of upstreams that it is made of. */
export const UsageOfRequest = UsageRow.extend({
  attempts: listOf(Attempt).optional(),
  arithmetic: Arithmetic.optional().openapi({
    description: 'How the cost of its last call came about; absent = nobody knows any more.',
  }),
  corrections: listOf(z.object({ ...ROW, attempts: listOf(Attempt) })).optional(),
}).openapi('UsageOfRequest')

/** What was used in one hour or day. */
export const SeriesPoint = z
  .object({
    start: Instant,
    day: z.string().optional(),
    names: listOf(z.string().nullable()).openapi({
      description: 'One for each of `by`; null where nobody knows, and of the rest.',
    }),
    isRest: z.literal(true).optional().openapi({ description: 'All that is not told apart.' }),
    counts: z.record(z.string(), z.number()).readonly(),
    failed: Maybe,
    cost: Charge,
    charged: Charge,
    held: Charge,
  })
  .openapi('SeriesPoint')

export const Latency = z
  .object({
    p50: Count.openapi({
      description: 'Milliseconds, estimated: off by a third at most, and usually by a few of a hundred.',
    }),
    p95: Count,
    requests: Count.openapi({ description: 'How many answers that is of.' }),
  })
  .openapi('Latency')
