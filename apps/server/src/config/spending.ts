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
  limit: amount.describe('US dollars as a number or string, with up to nine decimals.'),
  period: z.enum(PERIODS).exactOptional().describe('Time after which the budget resets. Default: `forever`.'),
  zone: timeZone
    .exactOptional()
    .describe('Time zone of days, weeks and months. Weeks begin on Monday. Default: `store.timeZone`.'),
  soft: z.boolean().exactOptional().describe('`true`: the budget only alerts and refuses no requests.'),
  count: counts
    .exactOptional()
    .describe('`charged`: amounts billed to callers. `cost`: all that providers charge. Default: `budgets.count`.'),
})

export const budgetList = z.array(z.union([budgetText, budget])).min(1)

const most = z
  .int()
  .min(1)
  .max(2 ** 31)

export const rateLimit = z.strictObject({
  requestsPerMinute: most.exactOptional().describe('Maximum requests within any 60 seconds.'),
  tokensPerMinute: most.exactOptional().describe('Maximum input and output tokens within any 60 seconds.'),
  concurrent: most.exactOptional().describe('Maximum open requests.'),
})

/** Budgets, limits and project of a key. */
export const keySpending = {
  budgets: budgetList
    .exactOptional()
    .describe(
      'Spending limits, all of which apply: `5/day`, `100/month@Europe/Berlin`, `20` in total, `soft:5/day` only alerts.',
    ),
  limits: rateLimit.exactOptional().describe('Rate limits of the key.'),
  project: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      'Project of the key: its `budgets.projects` and `limits.projects` apply to all keys of the project together.',
    ),
}

/** Rate limits of models and projects, in addition to the sizes in `limits`. */
export const rateLimits = {
  models: z
    .record(z.string().min(1), rateLimit)
    .exactOptional()
    .describe(
      'Rate limits of models for all keys together, by the names that callers send; `*` matches any characters.',
    ),
  projects: z
    .record(z.string().min(1), rateLimit)
    .exactOptional()
    .describe(
      'Rate limits of projects for all their keys together; `*` matches any characters, and each matching project is counted separately.',
    ),
}

export const budgets = z.strictObject({
  leastOutput: z
    .int()
    .min(1)
    .exactOptional()
    .describe(
      'Minimum output tokens that a budget must cover if the request sets no limit and the budget does not cover the maximum output of the model. Default: 1024.',
    ),
  unknownPrice: z
    .enum(['refuse', 'allow'])
    .exactOptional()
    .describe(
      'Requests of unknown worst-case cost under a budget. If the cost is known afterwards, it counts. Default: `refuse`.',
    ),
  count: counts
    .exactOptional()
    .describe(
      'Amounts counted by budgets without `count`. `charged`: amounts billed to callers. `cost`: all that providers charge. Default: `charged`.',
    ),
  held: z
    .number()
    .min(0)
    .max(1)
    .exactOptional()
    .describe(
      'Fraction of a shared budget, from 0 to 1, that requests of unknown cost can reserve for one key. Beyond it, only this key gets 429. Default: 0.2.',
    ),
  projects: z
    .record(z.string().min(1), budgetList)
    .exactOptional()
    .describe('Budgets of projects by name, for all keys of a project together.'),
  organization: budgetList.exactOptional().describe('Budgets for all keys together.'),
  alerts: z
    .strictObject({
      url: z
        .url({ protocol: /^https?$/ })
        .describe('Receives a signed POST when 50, 80 and 100 % of a budget are spent.'),
      secret: z
        .string()
        .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, '`whsec_` and at least 24 bytes in base64')
        .exactOptional()
        .describe(
          'Secret for the signature of the POST. Default: the secret printed by `headgate budgets alert-secret`.',
        ),
      private: z.boolean().exactOptional().describe('`true`: allows a private address.'),
    })
    .exactOptional()
    .describe('Receiver of budget alerts, which are also logged.'),
})

function found(value: unknown, allowed: string): string {
  return `found ${JSON.stringify(value).slice(0, 80)}; allowed: ${allowed}`
}
