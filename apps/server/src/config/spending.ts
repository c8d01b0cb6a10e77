import { z } from 'zod'
import { BUDGET, BUDGET_WORDS, dollarsText, isZone, nanosOf, PERIODS, readBudget } from './budget-text.ts'

const MOST_DOLLARS = 9_223_372_036

export const timeZone = z.string().refine(isZone, 'the name of a time zone, such as Europe/Berlin')

const amount = z.union([
  z.string().refine((text) => nanosOf(text) !== undefined, {
    error: ({ input }) => found(input, `US dollars with up to nine decimals, such as "4.50", at most ${MOST_DOLLARS}`),
  }),
  z
    .number()
    .min(0)
    .max(MOST_DOLLARS)
    .refine((dollars) => dollars < 0 || dollarsText(dollars) !== undefined, {
      error: ({ input }) => found(input, 'US dollars with up to nine decimals'),
    }),
])

const counts = z.enum(['charged', 'cost'])

const budgetText = z
  .string()
  .refine((text) => readBudget(text) !== undefined, { error: ({ input }) => found(input, BUDGET_WORDS) })
  .meta({ pattern: BUDGET.source })

const budget = z.strictObject({
  limit: amount.describe('US dollars, a number or a text, with up to nine decimals.'),
  period: z.enum(PERIODS).exactOptional().describe('After what the limit is there anew; `forever`.'),
  zone: timeZone
    .exactOptional()
    .describe('Time zone in which days, weeks and months begin; `store.timeZone`. Weeks begin on Monday.'),
  soft: z.boolean().exactOptional().describe('`true`: it refuses nothing, and only alerts.'),
  count: counts
    .exactOptional()
    .describe('`charged`, what counts for callers, or `cost`, all that providers charge; `budgets.count`.'),
})

export const budgetList = z.array(z.union([budgetText, budget])).min(1)

const most = z
  .int()
  .min(1)
  .max(2 ** 31)

export const rateLimit = z.strictObject({
  requestsPerMinute: most.exactOptional().describe('Most requests within any 60 seconds.'),
  tokensPerMinute: most.exactOptional().describe('Most tokens, input and output together, within any 60 seconds.'),
  concurrent: most.exactOptional().describe('Most requests at a time.'),
})

/** What a key may spend and ask, and with whom together. */
export const keySpending = {
  budgets: budgetList
    .exactOptional()
    .describe(
      'What it may spend, all of them together: `5/day`, `100/month@Europe/Berlin`, `20` for ever, `soft:5/day` to be told only.',
    ),
  limits: rateLimit.exactOptional().describe('How much it may ask.'),
  project: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      'Whose `budgets.projects` and `limits.projects` hold for it too, together with the other keys of the project.',
    ),
}

/** How much may be asked of models and in projects, beside the sizes in `limits`. */
export const rateLimits = {
  models: z
    .record(z.string().min(1), rateLimit)
    .exactOptional()
    .describe(
      'How much may be asked of models by all keys together, by the names that callers send; `*` stands for any text.',
    ),
  projects: z
    .record(z.string().min(1), rateLimit)
    .exactOptional()
    .describe(
      'How much the keys of a project may ask together; `*` stands for any text, and each project that fits is counted by itself.',
    ),
}

export const budgets = z.strictObject({
  leastOutput: z
    .int()
    .min(1)
    .exactOptional()
    .describe(
      'Tokens that an answer has to have room for at least, where the money does not suffice for all that a model may write and the request sets no limit; 1024.',
    ),
  unknownPrice: z
    .enum(['refuse', 'allow'])
    .exactOptional()
    .describe(
      'Whether requests under a budget are served whose greatest cost nobody knows; `refuse`. What they cost, if it is known afterwards, counts.',
    ),
  count: counts
    .exactOptional()
    .describe(
      'What budgets count that do not say it themselves: `charged`, what counts for callers, or `cost`, all that providers charge; `charged`.',
    ),
  held: z
    .number()
    .min(0)
    .max(1)
    .exactOptional()
    .describe(
      'Percentage of a budget that the unknown costs of one key may hold if other keys share the budget, from 0 to 1; 0.2. Beyond it, only this key gets 429.',
    ),
  projects: z
    .record(z.string().min(1), budgetList)
    .exactOptional()
    .describe('What the keys of a project may spend together, by its name.'),
  organization: budgetList.exactOptional().describe('What all keys may spend together.'),
  alerts: z
    .strictObject({
      url: z.url({ protocol: /^https?$/ }).describe('Gets a signed POST when 50, 80 and 100 % of a budget are spent.'),
      secret: z
        .string()
        .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, '`whsec_` and at least 24 bytes in base64')
        .exactOptional()
        .describe('What the POST is signed with; by default what `headgate budgets alert-secret` prints.'),
      private: z.boolean().exactOptional().describe('`true`: its address need not be public.'),
    })
    .exactOptional()
    .describe('Who is told of what is spent. The log has it too.'),
})

function found(value: unknown, allowed: string): string {
  return `found ${JSON.stringify(value).slice(0, 80)}; allowed: ${allowed}`
}
