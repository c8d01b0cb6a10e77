import { HeadgateError } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'
import type { OwnedBudget } from '../../budgets/budgets.ts'
import { pageFrom } from '../page.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Id, Instant, listOf, NanoDollars, PAGE, pageOf, Version } from '../schemas.ts'
import { BudgetTerms } from './keys.ts'

const Scope = z.enum(['key', 'project', 'member', 'organization'])

const Budget = z
  .object({
    id: z.string(),
    scope: Scope,
    owner: z.string().openapi({ description: 'Id of the key, project, member or organization.' }),
    name: z.string(),
    limit: NanoDollars,
    period: z.enum(['day', 'week', 'month', 'forever']),
    zone: z.string(),
    soft: z.boolean(),
    counts: z.enum(['charged', 'cost']),
    spent: NanoDollars,
    held: NanoDollars.openapi({ description: 'Part of `spent` that is held for requests whose cost is unknown.' }),
    tiedUp: NanoDollars.openapi({ description: 'What processes may spend beyond it without asking.' }),
    resetAt: Instant.optional(),
    source: z.enum(['store', 'config']).openapi({ description: 'One of the configuration is changed there.' }),
    version: Version,
  })
  .openapi('Budget')

const Made = z.object({ id: z.string(), version: Version })
const BudgetId = z.strictObject({ budget: Id })

const Doubt = z
  .object({
    life: z.string(),
    node: z.string(),
    since: Instant,
    isOver: z.boolean(),
    leases: listOf(
      z.object({
        budget: z.string(),
        name: z.string(),
        window: z.string(),
        endsAt: Instant.optional(),
        granted: NanoDollars,
        used: NanoDollars,
      }),
    ),
  })
  .openapi('Doubt')

const Held = z
  .object({
    id: z.string().openapi({ description: 'Id of the usage row.' }),
    requestId: z.string(),
    key: z.string().openapi({ description: 'Id of the key.' }),
    at: Instant,
    model: z.string().openapi({ description: 'Model as the caller named it.' }),
    provider: z.string(),
    providerModel: z.string(),
    why: z.string().openapi({ description: 'As in the usage row: `failed`, `canceled`, `cut`, `lost`.' }),
    held: NanoDollars,
  })
  .openapi('HeldAmount')

const Alert = z
  .object({
    id: z.string(),
    budget: z.object({ id: z.string(), name: z.string(), scope: Scope, owner: z.string(), soft: z.boolean() }),
    percent: z.int(),
    limit: NanoDollars,
    spent: NanoDollars,
    window: z.string(),
    at: Instant,
    tries: z.int(),
    deliveredAt: Instant.optional(),
    nextAt: Instant.optional(),
    resetAt: Instant.optional(),
  })
  .openapi('Alert')

export const BUDGET_ROUTES = [
  route({
    method: 'get',
    path: '/budgets',
    id: 'listBudgets',
    summary: 'Budgets and what is spent of them; members see their own. What has just ended may not be counted yet.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.read',
    query: z.strictObject({ ...PAGE, owner: Id.optional() }),
    answer: pageOf(Budget),
    async handle({ parts, caller, organization, query: { owner, ...page } }) {
      const all = (await parts.accounts.listBudgets(caller, organization)).filter(
        (one) => owner === undefined || one.owner === owner,
      )
      const { items, ...rest } = pageFrom('budgets', all, ({ id }) => [0, id], page)
      return { body: { ...rest, items: items.map(shown) } }
    },
  }),
  route({
    method: 'post',
    path: '/budgets',
    id: 'createBudget',
    summary: 'Makes a budget, which holds in all processes within a second.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.write',
    status: 201,
    body: z.strictObject({ ...BudgetTerms, scope: Scope, owner: Id }),
    answer: Made,
    async handle({ parts, caller, organization, body }) {
      const made = await parts.accounts.setBudget(caller, organization, { ...body, limit: BigInt(body.limit) })
      return { body: made, version: made.version }
    },
  }),
  route({
    method: 'put',
    path: '/budgets/{budget}',
    id: 'changeBudget',
    summary: 'Has a budget be another one, of the same owner. Below what is spent it refuses at once.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.write',
    isVersioned: true,
    params: BudgetId,
    body: z.strictObject({ ...BudgetTerms, scope: Scope, owner: Id }),
    answer: Made,
    async handle({ parts, caller, organization, params, body, version }) {
      const given = { ...body, id: params.budget, limit: BigInt(body.limit), version }
      const made = await parts.accounts.setBudget(caller, organization, given)
      return { body: made, version: made.version }
    },
  }),
  route({
    method: 'delete',
    path: '/budgets/{budget}',
    id: 'removeBudget',
    summary: 'Removes a budget. What was spent of it stays known.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.write',
    isVersioned: true,
    params: BudgetId,
    async handle({ parts, caller, organization, params, version }) {
      await parts.accounts.removeBudget(caller, organization, params.budget, { version })
      return {}
    },
  }),
  route({
    method: 'post',
    path: '/budgets/{budget}/reset',
    id: 'resetBudget',
    summary: 'Has a budget begin anew, with another id: what was spent of it counts for it no more.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.write',
    status: 201,
    isVersioned: true,
    params: BudgetId,
    answer: Made,
    async handle({ parts, caller, organization, params, version }) {
      const made = await parts.accounts.resetBudget(caller, organization, params.budget, { version })
      return { body: made, version: made.version }
    },
  }),
  route({
    method: 'get',
    path: '/budgets/doubts',
    id: 'listDoubts',
    summary: 'What processes hold of budgets that have not been heard of.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.read',
    isGateways: true,
    answer: z.object({ items: listOf(Doubt) }),
    async handle({ parts, access }) {
      // Whose they are is not told apart.
      if (access.reach !== 'all') return { body: { items: [] } }
      const all = await parts.doubts.silent()
      const items = all.map((life) => ({
        ...life,
        leases: life.leases.map(({ granted, used, ...lease }) => ({
          ...lease,
          granted: String(granted),
          used: String(used),
        })),
      }))
      return { body: { items } }
    },
  }),
  route({
    method: 'post',
    path: '/budgets/doubts/{life}',
    id: 'endDoubt',
    summary: 'Books what such a process holds as spent, or frees it, for ever.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.write',
    isGateways: true,
    params: z.strictObject({ life: Id }),
    body: z.strictObject({ end: z.enum(['spent', 'free']) }),
    answer: z.object({ isEnded: z.boolean().openapi({ description: 'False where it was ended before.' }) }),
    async handle({ parts, caller, organization, params, body }) {
      const isEnded = await parts.doubts.end(params.life, body.end)
      // The store has its own thread for it: what was done is written down right after.
      if (isEnded)
        await parts.accounts.recordAct(caller, {
          action: 'budget.doubt',
          target: params.life,
          organization,
          after: { end: body.end },
        })
      return { body: { isEnded } }
    },
  }),
  route({
    method: 'get',
    path: '/budgets/held',
    id: 'listHeld',
    summary:
      'Amounts that budgets hold for requests whose cost is unknown, newest first; members see those of their keys.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.read',
    isGateways: true,
    query: z.strictObject({ ...PAGE, key: Id.optional() }),
    answer: pageOf(Held),
    async handle({ parts, caller, access, organization, query: { key, ...page } }) {
      const own =
        access.reach === 'all'
          ? undefined
          : new Set((await parts.accounts.listKeys(caller, organization)).map(({ id }) => id))
      const all = (await parts.held.held({ principal: key })).filter(({ principal }) => own?.has(principal) ?? true)
      const { items, ...rest } = pageFrom('held', all, ({ at, id }) => [-at, id], page)
      return {
        body: {
          ...rest,
          items: items.map(({ principal, held, ...one }) => ({ ...one, key: principal, held: String(held) })),
        },
      }
    },
  }),
  route({
    method: 'post',
    path: '/budgets/held/{row}/release',
    id: 'releaseHeld',
    summary: 'Releases what budgets hold for a request whose cost is unknown, with a correction row; owners only.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.release',
    isGateways: true,
    params: z.strictObject({ row: Id }),
    answer: z.object({ isReleased: z.boolean().openapi({ description: 'False if nothing of it was held any more.' }) }),
    async handle({ parts, caller, organization, params }) {
      const released = await parts.held.releaseHeld({ id: params.row })
      // The store has its own thread for it: what was done is written down right after.
      if (released) {
        const { principal, held, requestId } = released
        const after = { key: principal, request: requestId, held: String(held), cost: '0' }
        await parts.accounts.recordAct(caller, { action: 'budget.release', target: params.row, organization, after })
      }
      return { body: { isReleased: released !== undefined } }
    },
  }),
  route({
    method: 'get',
    path: '/alerts',
    id: 'listAlerts',
    summary: 'Alerts of budgets, newest first.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.read',
    answer: z.object({
      items: listOf(Alert),
      hasDestination: z
        .boolean()
        .openapi({ description: 'False if the configuration names no URL for alerts: they are logged only.' }),
    }),
    async handle({ parts, caller, organization }) {
      const seen = new Set((await parts.accounts.listBudgets(caller, organization)).map(({ id }) => id))
      const all = (await parts.alerts.list(1_000)).filter(({ budget }) => seen.has(budget.id))
      const items = all.map(({ limit, spent, ...alert }) => ({ ...alert, limit: String(limit), spent: String(spent) }))
      return { body: { items, hasDestination: parts.alerts.test !== undefined } }
    },
  }),
  route({
    method: 'post',
    path: '/alerts/test',
    id: 'testAlert',
    summary: 'Sends a test alert.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.write',
    isGateways: true,
    async handle({ parts, caller, organization }) {
      if (!parts.alerts.test)
        throw new HeadgateError(
          'conflict',
          'No URL for alerts is configured. Set `budgets.alerts.url` in the configuration.',
        )
      await parts.alerts.test()
      await parts.accounts.recordAct(caller, { action: 'alert.test', organization })
      return {}
    },
  }),
]

function shown({ limit, spent, leased, held, ...budget }: OwnedBudget): z.input<typeof Budget> {
  return { ...budget, limit: String(limit), spent: String(spent), held: String(held), tiedUp: String(leased) }
}
