import { HeadgateError } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'
import type { OwnedBudget } from '../../budgets/budgets.ts'
import { pageFrom } from '../page.ts'
import type { ManagementParts } from '../parts.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Id, Instant, listOf, NanoDollars, PAGE, pageOf, Version } from '../schemas.ts'
import { BudgetTerms } from './keys.ts'

const DAY = 86_400_000

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
    held: NanoDollars.openapi({ description: 'Part of `spent` that is held for requests of unknown cost.' }),
    tiedUp: NanoDollars.openapi({ description: 'Amount leased to processes in addition to `spent`.' }),
    resetAt: Instant.optional(),
    refused: z.object({ requests: z.int(), lastAt: Instant }).optional().openapi({
      description:
        'Requests that it refused within 24 hours, and the last one; above 10 a second of a key only a sample counts. Absent = none.',
    }),
    source: z.enum(['store', 'config']).openapi({ description: '`config`: can be changed only in the configuration.' }),
    version: Version,
  })
  .openapi('Budget')

const SharedBudget = z
  .object({
    id: z.string(),
    scope: z.enum(['project', 'organization']),
    name: z.string(),
    period: z.enum(['day', 'week', 'month', 'forever']),
    soft: z.boolean(),
    left: NanoDollars.openapi({ description: 'Unspent amount.' }),
    resetAt: Instant.optional(),
  })
  .openapi('SharedBudget')

const Made = z.object({ id: z.string(), version: Version })
const BudgetId = z.strictObject({ budget: Id })

const Doubt = z
  .object({
    run: z.string(),
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
    why: z.string().openapi({
      description:
        'As in the usage row: `failed`, `canceled`, `cut`, `lost`; `unknown` for the lease of a lost process.',
    }),
    held: NanoDollars,
    lost: z
      .object({
        run: z.string(),
        node: z.string().openapi({ description: 'Host name of the machine.' }),
        since: Instant.openapi({ description: 'Time of the last heartbeat.' }),
        budget: z.string(),
        name: z.string(),
        window: z.string(),
      })
      .optional()
      .openapi({ description: 'Process without a heartbeat whose budget lease is held; absent for requests.' }),
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
    summary: 'Lists budgets and their spending; members see their own. The latest requests may not be counted yet.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.read',
    query: z.strictObject({ ...PAGE, owner: Id.optional() }),
    answer: pageOf(Budget),
    async handle({ parts, caller, organization, query: { owner, ...page } }) {
      const all = (await parts.accounts.listBudgets(caller, organization)).filter(
        (one) => owner === undefined || one.owner === owner,
      )
      const { items, ...rest } = pageFrom('budgets', all, ({ id }) => [0, id], page)
      const refused = await refusedBy(parts)
      return { body: { ...rest, items: items.map((budget) => shown(budget, refused)) } }
    },
  }),
  route({
    method: 'get',
    path: '/budgets/shared',
    id: 'listSharedBudgets',
    summary:
      'Lists budgets of projects and the organization that restrict keys of a member: names, remaining amounts and resets. Others see them in the list of budgets.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.read',
    answer: z.object({ items: listOf(SharedBudget) }),
    async handle({ parts, caller, organization }) {
      const shared = await parts.accounts.listSharedBudgets(caller, organization)
      return { body: { items: shared.map(({ left, ...budget }) => ({ ...budget, left: String(left) })) } }
    },
  }),
  route({
    method: 'post',
    path: '/budgets',
    id: 'createBudget',
    summary: 'Creates a budget. It takes effect in all processes within a second.',
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
    summary: 'Replaces a budget of the same owner. A limit below the spent amount refuses requests immediately.',
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
    summary: 'Removes a budget. Its spending stays on record.',
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
    summary: 'Resets a budget: its spending becomes zero, and it gets another id.',
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
    path: '/budgets/orphaned-leases',
    id: 'listDoubts',
    summary: 'Lists orphaned leases: budget amounts held by processes that stopped responding.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.read',
    isGateways: true,
    answer: z.object({ items: listOf(Doubt) }),
    async handle({ parts, access }) {
      // Leases cannot be attributed to members.
      if (access.reach !== 'all') return { body: { items: [] } }
      const all = await parts.orphanedLeases.silent()
      const items = all.map((run) => ({
        ...run,
        leases: run.leases.map(({ granted, used, ...lease }) => ({
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
    path: '/budgets/orphaned-leases/{run}',
    id: 'endDoubt',
    summary: 'Counts the orphaned leases of a process as spent, or frees them, permanently.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.write',
    isGateways: true,
    params: z.strictObject({ run: Id }),
    body: z.strictObject({ end: z.enum(['spent', 'free']) }),
    answer: z.object({ isEnded: z.boolean().openapi({ description: 'False if the leases were settled before.' }) }),
    async handle({ parts, caller, organization, params, body }) {
      const isEnded = await parts.orphanedLeases.end(params.run, body.end)
      // The store uses a separate thread, so the audit entry is written right after the change.
      if (isEnded)
        await parts.accounts.recordAct(caller, {
          action: 'budget.orphaned',
          target: params.run,
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
      'Lists amounts held from budgets for requests of unknown cost and for lost processes, newest first; members see amounts for their keys.',
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
    summary:
      'Releases the amount held for a request of unknown cost or for a lost process, with a correction row; owners only.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.release',
    isGateways: true,
    params: z.strictObject({ row: Id }),
    answer: z.object({ isReleased: z.boolean().openapi({ description: 'False if the amount was released before.' }) }),
    async handle({ parts, caller, organization, params }) {
      const released = await parts.held.releaseHeld({ id: params.row })
      // The store uses a separate thread, so the audit entry is written right after the change.
      if (released) {
        const { principal, held, requestId, lost } = released
        const request = { key: principal, request: requestId, held: String(held), cost: '0' }
        const after = lost ? { ...request, process: lost.run, node: lost.node } : request
        await parts.accounts.recordAct(caller, { action: 'budget.release', target: params.row, organization, after })
      }
      return { body: { isReleased: released !== undefined } }
    },
  }),
  route({
    method: 'get',
    path: '/alerts',
    id: 'listAlerts',
    summary: 'Lists budget alerts, newest first.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.read',
    answer: z.object({
      items: listOf(Alert),
      hasDestination: z.boolean().openapi({
        description: 'False if neither the configuration nor a destination receives alerts: they are logged only.',
      }),
    }),
    async handle({ parts, caller, organization }) {
      const seen = new Set((await parts.accounts.listBudgets(caller, organization)).map(({ id }) => id))
      const all = (await parts.alerts.list(1_000)).filter(({ budget }) => seen.has(budget.id))
      const items = all.map(({ limit, spent, ...alert }) => ({ ...alert, limit: String(limit), spent: String(spent) }))
      const hasDestination = parts.alerts.test !== undefined || ((await parts.destinations?.hasSpend()) ?? false)
      return { body: { items, hasDestination } }
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

type BudgetRefused = NonNullable<z.input<typeof Budget>['refused']>

function shown(
  { limit, spent, leased, held, ...budget }: OwnedBudget,
  refused: ReadonlyMap<string, BudgetRefused>,
): z.input<typeof Budget> {
  const amounts = { limit: String(limit), spent: String(spent), held: String(held), tiedUp: String(leased) }
  const refusals = refused.get(budget.id)
  return { ...budget, ...amounts, ...(refusals && { refused: refusals }) }
}

/** Refusals of the last 24 hours by budget. */
async function refusedBy({ usage, now }: ManagementParts): Promise<ReadonlyMap<string, BudgetRefused>> {
  const found = await usage.refusalsByBudget({ from: (now?.() ?? Date.now()) - DAY })
  return new Map(found.map(({ budget, ...refused }) => [budget, refused]))
}
