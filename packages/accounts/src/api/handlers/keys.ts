import { everyRight, KEY_SETTINGS, MAX_WEIGHT, SERVICE_CLASSES, TRACINGS } from '@headgate/gateway/ports'
import type { StoredKey } from '@headgate/store/sql'
import { z } from '@hono/zod-openapi'
import { RateLimitOf } from '../facts.ts'
import { pageFrom } from '../page.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Id, Instant, listOf, Name, NanoDollars, PAGE, pageOf, shownOnce, Version } from '../schemas.ts'

const Names = listOf(z.string())
const ServiceClassOf = z.enum(SERVICE_CLASSES).openapi({ description: KEY_SETTINGS.class.description })
const TracingOf = z.enum(TRACINGS).openapi({ description: KEY_SETTINGS.tracing.description })
const Weight = z.int().min(1).max(MAX_WEIGHT).openapi({ description: KEY_SETTINGS.weight.description })

const CreatorState = z.enum(['active', 'viewer', 'disabled', 'left']).openapi({
  description: 'State of the person who created the key. The key works only while it is `active`.',
})

export const Key = z
  .object({
    id: z.string(),
    prefix: z.string().openapi({ description: 'First and last characters of the newest secret.' }),
    name: z.string().optional(),
    project: z.string(),
    environment: z.string(),
    createdBy: z
      .string()
      .optional()
      .openapi({ description: 'Id of the person whose current permissions limit the key.' }),
    creator: CreatorState.optional(),
    service: z
      .literal(true)
      .optional()
      .openapi({ description: 'True if the key belongs to its project instead of a person.' }),
    ...everyRight((_, { description }) => Names.optional().openapi({ description })),
    class: ServiceClassOf.optional(),
    weight: Weight.optional(),
    tracing: TracingOf.optional(),
    limits: RateLimitOf.optional(),
    secrets: listOf(z.object({ prefix: z.string(), createdAt: Instant, expiresAt: Instant.optional() })),
    createdAt: Instant,
    lastUsedAt: Instant.optional(),
    expiresAt: Instant.optional(),
    revokedAt: Instant.optional(),
    tracedUntil: Instant.optional().openapi({
      description: 'End of tracing for requests of the key.',
    }),
    version: Version,
  })
  .openapi('Key')

const MadeKey = z.object({ key: shownOnce('The key'), stored: Key })

const List = z.array(z.string().min(1).max(512)).max(1_000)
const Most = z
  .int()
  .min(1)
  .max(2 ** 31)
export const LimitsGiven = z.strictObject({
  requestsPerMinute: Most.optional(),
  tokensPerMinute: Most.optional(),
  concurrent: Most.optional(),
})
export const BudgetTerms = {
  name: Name.optional(),
  limit: NanoDollars,
  period: z.enum(['day', 'week', 'month', 'forever']),
  zone: z.string().min(1).max(100).optional().openapi({
    description: 'Time zone of the period. Default: the time zone of the store.',
    example: 'Europe/Berlin',
  }),
  soft: z.boolean().optional().openapi({ description: 'True if the budget only alerts.' }),
  counts: z.enum(['charged', 'cost']).optional(),
}

const KeyId = z.strictObject({ key: Id })

export const KEY_ROUTES = [
  route({
    method: 'get',
    path: '/keys',
    id: 'listKeys',
    summary:
      'Lists keys in order of creation; members see their own. Keys are `stopped` if their creator left, is disabled or is a viewer.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'keys.read',
    query: z.strictObject({
      ...PAGE,
      project: Id.optional(),
      environment: Id.optional(),
      state: z.enum(['active', 'stopped', 'all']).optional(),
    }),
    answer: pageOf(Key),
    async handle({ parts, caller, organization, query: { project, environment, state = 'all', ...page } }) {
      const now = (parts.now ?? Date.now)()
      const all = (await parts.accounts.listKeys(caller, organization)).filter(
        (key) =>
          (project === undefined || key.project === project) &&
          (environment === undefined || key.environment === environment) &&
          (state === 'all' || stateOf(key, now) === state),
      )
      return { body: pageFrom('keys', all, ({ createdAt, id }) => [createdAt, id], page) }
    },
  }),
  route({
    method: 'post',
    path: '/keys',
    id: 'createKey',
    summary: 'Creates a key. It is shown once.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'keys.write',
    status: 201,
    secrets: ['key'],
    body: z.strictObject({
      name: Name.optional(),
      project: Id.optional(),
      environment: z.string().max(32).optional(),
      service: z
        .boolean()
        .optional()
        .openapi({ description: 'True if the key belongs to the project instead of you; owners and admins only.' }),
      ...everyRight((_, { description }) => List.optional().openapi({ description })),
      class: ServiceClassOf.optional(),
      weight: Weight.optional(),
      tracing: TracingOf.optional(),
      limits: LimitsGiven.optional(),
      budgets: z.array(z.strictObject(BudgetTerms)).max(10).optional(),
      expiresAt: Instant.optional(),
    }),
    answer: MadeKey,
    async handle({ parts, caller, organization, body: { budgets, limits, ...body } }) {
      const own = budgets?.map((budget) => ({ ...budget, limit: BigInt(budget.limit) }))
      const given = { ...body, ...(limits && { limits: boundsOf(limits) }), ...(own && { budgets: own }) }
      const made = await parts.accounts.createKey(caller, organization, given)
      return { body: made, version: made.stored.version }
    },
  }),
  route({
    method: 'get',
    path: '/keys/{key}',
    id: 'readKey',
    summary: 'Reads a key.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'keys.read',
    isVersioned: true,
    params: KeyId,
    answer: Key,
    async handle({ parts, caller, organization, params }) {
      const body = await parts.accounts.readKey(caller, organization, params.key)
      return { body, version: body.version }
    },
  }),
  route({
    method: 'patch',
    path: '/keys/{key}',
    id: 'changeKey',
    summary: 'Changes a key. Absent fields stay unchanged; null removes a field.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'keys.write',
    isVersioned: true,
    params: KeyId,
    body: z.strictObject({
      name: Name.nullable().optional(),
      ...everyRight((_, { description }) => List.nullable().optional().openapi({ description })),
      class: ServiceClassOf.nullable().optional(),
      weight: Weight.nullable().optional(),
      tracing: TracingOf.nullable().optional(),
      limits: LimitsGiven.nullable().optional(),
      expiresAt: Instant.nullable().optional(),
    }),
    answer: Key,
    async handle({ parts, caller, organization, params, body: { limits, ...body }, version }) {
      const change = { ...body, ...(limits !== undefined && { limits: limits && boundsOf(limits) }), version }
      const changed = await parts.accounts.changeKey(caller, organization, params.key, change)
      return { body: changed, version: changed.version }
    },
  }),
  route({
    method: 'post',
    path: '/keys/{key}/rotate',
    id: 'rotateKey',
    summary: 'Replaces the secret of a key. The new one is shown once; the old one works until the overlap ends.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'keys.write',
    isVersioned: true,
    secrets: ['key'],
    params: KeyId,
    body: z.strictObject({
      overlapMs: z
        .int()
        .min(0)
        .max(366 * 86_400_000),
      expiresAt: Instant.nullable().optional(),
    }),
    answer: MadeKey,
    async handle({ parts, caller, organization, params, body, version }) {
      const made = await parts.accounts.rotateKey(caller, organization, params.key, { ...body, version })
      return { body: made, version: made.stored.version }
    },
  }),
  route({
    method: 'post',
    path: '/keys/{key}/revoke',
    id: 'revokeKey',
    summary: 'Revokes a key permanently: every process rejects it within a second.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'keys.write',
    isVersioned: true,
    params: KeyId,
    answer: Key,
    async handle({ parts, caller, organization, params, version }) {
      const revoked = await parts.accounts.revokeKey(caller, organization, params.key, { version })
      return { body: revoked, version: revoked.version }
    },
  }),
  route({
    method: 'post',
    path: '/keys/{key}/take-over',
    id: 'takeOverKey',
    summary:
      'Makes you the creator of a key whose creator left, is disabled or is a viewer, so that it works again. Requires a recent sign-in.',
    by: ['session'],
    action: 'keys.takeOver',
    isSensitive: true,
    isVersioned: true,
    params: KeyId,
    answer: Key,
    async handle({ parts, caller, organization, params, version }) {
      const taken = await parts.accounts.takeOverKey(caller, organization, params.key, { version })
      return { body: taken, version: taken.version }
    },
  }),
]

/** Limits without absent fields. */
export function boundsOf(limits: z.infer<typeof LimitsGiven>) {
  const { requestsPerMinute, tokensPerMinute, concurrent } = limits
  return {
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute }),
    ...(concurrent !== undefined && { concurrent }),
  }
}

function stateOf({ expiresAt, revokedAt, creator }: StoredKey, now: number): 'active' | 'stopped' | undefined {
  if (revokedAt !== undefined || (expiresAt !== undefined && expiresAt <= now)) return undefined
  return creator === undefined || creator === 'active' ? 'active' : 'stopped'
}
