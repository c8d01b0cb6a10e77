import { z } from '@hono/zod-openapi'
import { Charge, Instant, listOf } from './schemas.ts'

const Count = z.int().min(0)
const Maybe = Count.nullable().openapi({ description: 'Null: nobody knows.' })
const Money = Charge.nullable().openapi({ description: 'Nano-dollars. Null: nobody knows.' })

/** What `usage` of the store has, as `docs/usage.md` says it. */
const ROW = {
  id: z.string(),
  requestId: z.string(),
  at: Instant,
  principal: z.string().openapi({ description: 'Id of the key.' }),
  family: z.string(),
  format: z.string(),
  model: z.string(),
  provider: z.string(),
  providerModel: z.string(),
  stream: z.boolean(),
  translated: z.boolean(),
  status: z.int(),
  input: Maybe,
  output: Maybe,
  cacheRead: Maybe,
  cacheWrite: Maybe,
  cacheWriteLong: Maybe,
  reasoning: Maybe,
  audioInput: Maybe,
  audioOutput: Maybe,
  units: z.record(z.string(), z.number()).readonly().nullable(),
  estimated: z.boolean(),
  cost: Money,
  charged: Money,
  held: Money,
  priceId: z.string().nullable(),
  billed: z.boolean(),
  why: z.string(),
  finish: z.string().nullable(),
  failure: z.string().nullable(),
  losses: listOf(z.unknown()).openapi({
    description: 'What translation dropped or changed: `path`, `kind`, `reason`.',
  }),
  corrects: z.string().nullable(),
  firstByteMs: Maybe,
  durationMs: Count,
  tags: z.record(z.string(), z.string()).readonly().nullable(),
}
const OWNER = { project: z.string().nullable(), environment: z.string().nullable(), member: z.string().nullable() }

export const UsageRow = z.object({ ...ROW, ...OWNER, tags: ROW.tags.optional() }).openapi('UsageRow')

const Attempt = z
  .object({
    provider: z.string(),
    model: z.string().openapi({ description: 'The provider’s own name of the model.' }),
    startedAt: Instant,
    durationMs: Count,
    status: z.int().nullable(),
    failure: z.string().nullable(),
    cost: Money,
    priceId: z.string().nullable(),
  })
  .openapi('UsageAttempt')

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
