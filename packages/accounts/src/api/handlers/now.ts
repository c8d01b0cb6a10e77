import { z } from '@hono/zod-openapi'
import type { SharedBudget } from '../../budgets/budgets.ts'
import { may } from '../../roles/roles.ts'
import { ManagementProvider } from '../facts.ts'
import type { ManagementParts } from '../parts.ts'
import { visibleProviders } from '../providers.ts'
import { PEOPLE_AND_SCRIPTS, type RouteRequest, route } from '../route.ts'
import { Charge, Instant, listOf, NanoDollars, wholeNumber } from '../schemas.ts'
import { Latency } from '../usage-row.ts'

const MINUTE = 60_000
/** Default and maximum number of minutes. Sums by minute are kept longer. */
const MINUTES = { usual: 60, most: 360 } as const
/** Share of a budget from which on it is listed, in percent. */
const NEAR = 80
/** Maximum numbers of listed budgets, cooldowns and marks. */
const MOST = { budgets: 20, cooldowns: 100, marks: 100 } as const
/** Prefixes of audited actions that mark a change. */
const MARKED = ['config', 'credential', 'price', 'key', 'budget'] as const

const Count = z.int().min(0)
const Counts = z.record(z.string(), Count).readonly()

const Minute = z.object({
  start: Instant,
  requests: Count,
  charged: Charge,
  byOutcome: Counts.openapi({ description: 'Requests by outcome.' }),
  byFailure: Counts.openapi({ description: 'Requests with a failure, by its kind.' }),
  byProvider: z
    .record(z.string(), z.object({ calls: Count, failed: Count }))
    .readonly()
    .openapi({ description: 'Calls that ended in the minute, and how many failed because of the provider.' }),
})

const Cooldown = z.object({
  provider: z.string(),
  endpoint: z.string().optional(),
  model: z.string().optional().openapi({ description: 'Name at the provider; absent = all models.' }),
  until: Instant,
  kind: z.string().optional().openapi({ description: 'Kind of the last failure.' }),
})

const BudgetAtLimit = z.object({
  id: z.string(),
  name: z.string(),
  scope: z.enum(['key', 'project', 'member', 'organization']),
  soft: z.boolean(),
  left: NanoDollars,
  percent: Count.optional().openapi({ description: 'Spent part; absent if others spend from it too.' }),
  refused: Count.optional().openapi({
    description: 'Requests that it refused in the range; above 10 a second of a key only a sample counts.',
  }),
  resetAt: Instant.optional(),
})

const Mark = z.object({
  at: Instant,
  what: z.string().openapi({ description: 'Action as in the audit log, such as `key.revoke`.' }),
  target: z.string().optional(),
})

const Now = z
  .object({
    at: Instant,
    minutes: listOf(Minute).openapi({ description: 'Every minute of the range, oldest first.' }),
    firstByte: Latency.nullable().openapi({ description: 'Null if no response was streamed.' }),
    providers: listOf(ManagementProvider).openapi({ description: 'Enabled providers, and those without credential.' }),
    cooldowns: listOf(Cooldown).openapi({ description: 'Of this node.' }),
    refusals: z
      .object({ total: Count, byKind: Counts })
      .openapi({ description: 'Requests that the gateway refused without calling a provider.' }),
    budgets: listOf(BudgetAtLimit).openapi({
      description: 'Budgets of which at least 80 % are spent, or that refused requests in the range.',
    }),
    marks: listOf(Mark).openapi({
      description:
        'Changes of configuration, credentials, prices, keys and budgets; only for callers with access to the audit log.',
    }),
  })
  .openapi('Now')

export const NOW_ROUTES = [
  route({
    method: 'get',
    path: '/now',
    id: 'readNow',
    summary:
      'Reads what happens now: requests by minute, provider states, refusals, budgets at their limit and changes.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'usage.read',
    query: z.strictObject({
      minutes: wholeNumber(1, MINUTES.most)
        .optional()
        .openapi({ description: `Default: ${MINUTES.usual}.` }),
    }),
    answer: Now,
    async handle(asked) {
      const { parts, caller, organization, query } = asked
      const at = parts.now?.() ?? Date.now()
      const from = Math.floor(at / MINUTE) * MINUTE - ((query.minutes ?? MINUTES.usual) - 1) * MINUTE
      const scope = await parts.accounts.usageScope(caller, organization)
      const [usage, providers, budgets, marks] = await Promise.all([
        parts.usage.minutes({ from, to: at, owners: scope }),
        visibleProviders(parts, caller, organization),
        budgetsAtLimit(asked, from),
        marksOf(asked, from),
      ])
      const shown = providers.filter(({ state }) => state !== 'off' && state !== 'no-credential')
      const { minutes, firstByteMs, refusals } = usage
      return {
        body: {
          at,
          minutes: minutes.map((minute) => ({ ...minute })),
          firstByte: firstByteMs,
          providers: shown,
          cooldowns: cooldownsOf(shown, at),
          refusals: { total: Object.values(refusals).reduce((sum, one) => sum + one, 0), byKind: refusals },
          budgets,
          marks,
        },
      }
    },
  }),
]

type NowRequest = Pick<RouteRequest, 'caller' | 'organization' | 'access'> & { readonly parts: ManagementParts }

/** Budgets near their limit or with refusals, budgets with refusals first, then those with the least share left. */
async function budgetsAtLimit(
  { parts: { accounts, usage }, caller, organization, access }: NowRequest,
  from: number,
): Promise<z.input<typeof BudgetAtLimit>[]> {
  if (may(access.role, 'budgets.read') === undefined) return []
  const found = await usage.refusalsByBudget({ from })
  const refusedBy = new Map(found.map(({ budget, requests }) => [budget, requests]))
  const own = (await accounts.listBudgets(caller, organization)).map(({ limit, spent, ...budget }) => ({
    ...nearOf({ ...budget, left: limit > spent ? limit - spent : 0n }, refusedBy),
    percent: limit === 0n ? 100 : Number((spent * 100n) / limit),
  }))
  const shared = (await accounts.listSharedBudgets(caller, organization)).map((budget) => nearOf(budget, new Map()))
  return [
    ...own
      .filter(({ percent, refused = 0 }) => percent >= NEAR || refused > 0)
      .sort((one, other) => (other.refused ?? 0) - (one.refused ?? 0) || other.percent - one.percent),
    ...shared.filter(({ left }) => left === '0'),
  ].slice(0, MOST.budgets)
}

type NearBudget = Pick<SharedBudget, 'id' | 'name' | 'soft' | 'left' | 'resetAt'> & {
  readonly scope: z.input<typeof BudgetAtLimit>['scope']
}

function nearOf(
  { id, name, scope, soft, left, resetAt }: NearBudget,
  refusedBy: ReadonlyMap<string, number>,
): z.input<typeof BudgetAtLimit> {
  const refused = refusedBy.get(id)
  const reset = resetAt === undefined ? {} : { resetAt }
  return { id, name, scope, soft, left: String(left), ...reset, ...(refused !== undefined && { refused }) }
}

/** Audited changes since a time, oldest first. */
async function marksOf(
  { parts: { accounts }, caller, organization, access }: NowRequest,
  from: number,
): Promise<z.input<typeof Mark>[]> {
  if (may(access.role, 'audit.read') === undefined) return []
  const pages = await Promise.all(
    MARKED.map((action) => accounts.auditPage(caller, organization, { action, from, limit: MOST.marks })),
  )
  return (
    pages
      .flat()
      .filter(({ result }) => result === 'done')
      // Ids sort by time.
      .sort((one, other) => (one.id < other.id ? 1 : -1))
      .slice(0, MOST.marks)
      .reverse()
      .map(({ at, action, target }) => ({ at, what: action, ...(target !== undefined && { target }) }))
      .filter(isFirstOfReload)
  )
}

/** False for the reload of a further process within a minute: each process records its own. */
function isFirstOfReload(mark: z.input<typeof Mark>, index: number, all: readonly z.input<typeof Mark>[]): boolean {
  if (mark.what !== 'config.reload') return true
  const before = all.slice(0, index).findLast(({ what }) => what === mark.what)
  return before === undefined || mark.at - before.at > MINUTE
}

/** Cooldowns of endpoints and models, the longest first. */
function cooldownsOf(providers: readonly ManagementProvider[], now: number): z.input<typeof Cooldown>[] {
  return providers
    .flatMap(({ name: provider, endpoints = [], troubled = [] }) =>
      [
        ...endpoints.map(({ name: endpoint, restsUntil, lastError }) => ({ endpoint, restsUntil, lastError })),
        ...troubled,
      ].flatMap(({ restsUntil: until, lastError, ...of }) =>
        until === undefined || until <= now
          ? []
          : [{ provider, ...placeOf(of), until, ...(lastError && { kind: lastError.kind }) }],
      ),
    )
    .sort((one, other) => other.until - one.until)
    .slice(0, MOST.cooldowns)
}

interface CooldownPlace {
  readonly endpoint?: string | undefined
  readonly model?: string | undefined
}

function placeOf({ endpoint, model }: CooldownPlace): CooldownPlace {
  return { ...(endpoint !== undefined && { endpoint }), ...(model !== undefined && { model }) }
}
