import { OUTCOMES } from '@headgate/gateway/ports'
import { ATTEMPT_FIELDS, USAGE_FIELDS } from '@headgate/store/sql'
import { z } from '@hono/zod-openapi'
import { Charge, Instant, listOf } from './schemas.ts'

const Count = z.int().min(0)
const Maybe = Count.nullable().openapi({ description: 'Null = unknown.' })
const Money = Charge.nullable()

const Routing = z.object({
  policy: z.string(),
  considered: listOf(
    z.object({
      provider: z.string(),
      endpoint: z.string().optional().openapi({ description: 'Absent if the provider has only one endpoint.' }),
      model: z.string().openapi({ description: 'Name of the model at the provider.' }),
      why: z.string().openapi({ description: 'Reason for its place.' }),
    }),
  ),
})

/** Schemas of field kinds, and notes added to their descriptions. */
const KINDS = {
  uuid: [z.string(), ''],
  'maybe-uuid': [z.string().nullable(), ''],
  text: [z.string(), ''],
  'maybe-text': [z.string().nullable(), ''],
  outcome: [z.enum(OUTCOMES), ''],
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
  routing: [Routing.nullable(), ''],
} as const

type KindOf<One> = One extends { readonly kind: infer Name extends keyof typeof KINDS } ? Name : never

/** Schemas of fields by name. */
type FieldSchemas<All> = { readonly [Name in keyof All]: (typeof KINDS)[KindOf<All[Name]>][0] }

/** Schemas with descriptions for an object with these fields. */
export function shapeOf<All extends Readonly<Record<string, { kind: keyof typeof KINDS; description: string }>>>(
  fields: All,
): FieldSchemas<All> {
  const shape = Object.entries(fields).map(([name, { kind, description }]) => {
    const [schema, note] = KINDS[kind]
    return [name, schema.openapi({ description: note === '' ? description : `${description} ${note}` })]
  })
  return Object.fromEntries(shape) as FieldSchemas<All>
}

const ROW = shapeOf(USAGE_FIELDS)
const OWNER = { project: z.string().nullable(), environment: z.string().nullable(), member: z.string().nullable() }
const Named = z.string().nullable().openapi({ description: 'Null = unknown.' })
const NAMES = { keyName: Named, projectName: Named, memberName: Named }

/** Budget or rate limit that refused a request. */
const RefusingLimit = z.object({
  kind: z.enum(['budget', 'rate-limit']),
  id: z.string().openapi({
    description: 'Name of the budget; for a rate limit, its scope and owner, such as `model gpt-5` or `key key_1`.',
  }),
})

export const UsageRow = z
  .object({
    ...ROW,
    ...OWNER,
    ...NAMES,
    tags: ROW.tags.optional(),
    limit: RefusingLimit.optional().openapi({
      description: 'Limit that refused the request; absent for other refusals.',
    }),
  })
  .openapi('UsageRow')

const Attempt = z.object(shapeOf(ATTEMPT_FIELDS)).openapi('UsageAttempt')
const WordedAttempt = Attempt.extend({
  words: z.string().optional().openapi({
    description: 'Message of the failed call, at most 500 characters, for 24 hours. See `message` for who can read it.',
  }),
})

const Arithmetic = z
  .object({
    priceId: z.string(),
    tier: z.string().optional().openapi({ description: 'Service tier of the rates; absent = the usual tier.' }),
    variant: z.string().optional().openapi({ description: 'Variant of the response, if unit prices depend on it.' }),
    lines: listOf(
      z.object({
        kind: z.string().openapi({ description: 'Kind of tokens, without overlaps, or name of a unit.' }),
        count: Count,
        rate: z.number().openapi({ type: 'integer', description: 'Nano-dollars per million tokens or units.' }),
        amount: Charge,
      }),
    ),
    isWhole: z.boolean().openapi({ description: 'True if the lines add up to the whole cost.' }),
  })
  .openapi('Arithmetic')

/** Request with its upstream calls. */
export const UsageOfRequest = UsageRow.extend({
  attempts: listOf(WordedAttempt).optional(),
  message: z.string().optional().openapi({
    description:
      'Sentence that the caller got. Only for the owner of the key, and for people who can read traces, whose reads are in the audit log. Absent after 24 hours; for refused requests, after 7 days.',
  }),
  arithmetic: Arithmetic.optional().openapi({
    description: 'Computation of the cost of its last call; absent = no longer known.',
  }),
  corrections: listOf(z.object({ ...ROW, attempts: listOf(Attempt) })).optional(),
  traceUrl: z.string().optional().openapi({
    description: 'Page of its trace in the configured system; absent if the trace was not exported.',
  }),
}).openapi('UsageOfRequest')

/** Usage of one hour or day. */
export const SeriesPoint = z
  .object({
    start: Instant,
    day: z.string().optional(),
    names: listOf(z.string().nullable()).openapi({
      description: 'One name for each dimension in `by`; null if unknown, and for the rest.',
    }),
    isRest: z.literal(true).optional().openapi({ description: 'True for the sum of all other values.' }),
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
      description: 'Estimated milliseconds: off by a third at most, usually by a few percent.',
    }),
    p95: Count,
    requests: Count.openapi({ description: 'Number of responses.' }),
  })
  .openapi('Latency')
