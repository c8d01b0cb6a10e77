import { HeadgateError } from '@headgate/gateway/ports'
import type { FailureCount, FailureFilters } from '@headgate/store'
import { z } from '@hono/zod-openapi'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Instant, InstantText, listOf, wholeNumber } from '../schemas.ts'
import { OWNED, rowsFor } from './usage.ts'

const DAY = 86_400_000
/** Maximum range of failures in milliseconds. */
const LONGEST = 35 * DAY
/** Maximum number of groups of a response. */
const GROUPS = 200

const FailureGroup = z
  .object({
    failure: z.string().openapi({ description: 'Kind of the failure.' }),
    name: z
      .string()
      .openapi({ description: 'Provider or id of the key; empty if no provider was called, or without a grouping.' }),
    keyName: z.string().nullable().optional().openapi({ description: 'Name of the key; only with `failure,key`.' }),
    requests: z.int().openapi({ description: 'Exact number of requests.' }),
    newest: z
      .string()
      .nullable()
      .openapi({ description: 'Id of the newest request; null if none of them is stored.', example: 'req_01…' }),
    hours: listOf(z.object({ start: Instant, requests: z.int() })).openapi({
      description: 'Hours with requests, oldest first.',
    }),
  })
  .openapi('FailureGroup')

const UnauthenticatedAddress = z
  .object({
    address: z.string().openapi({ description: 'IP address; empty for all others of an hour with many addresses.' }),
    reason: z.string().openapi({ description: '`no-key`, `bad-key`, or the kind of another failure.' }),
    requests: z.int(),
    lastAt: Instant,
  })
  .openapi('UnauthenticatedAddress')

export const FAILURE_ROUTES = [
  route({
    method: 'get',
    path: '/usage/failures',
    id: 'readFailures',
    summary:
      'Counts failed and refused requests by hour and kind of failure, the most frequent first; members see failures of their keys.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'usage.read',
    query: z.strictObject({
      from: InstantText.openapi({ description: 'Start; its whole hour counts. A range has at most 35 days.' }),
      to: InstantText,
      by: z.enum(['failure', 'failure,provider', 'failure,key']).optional(),
      ...OWNED,
    }),
    answer: z.object({ items: listOf(FailureGroup), isCut: z.boolean() }),
    async handle(asked) {
      const { from, to, by = 'failure', ...given } = asked.query
      if (to <= from) throw new HeadgateError('invalid-request', '`to` must be after `from`.', { param: 'to' })
      if (to - from > LONGEST)
        throw new HeadgateError('invalid-request', 'Failures cover at most 35 days. Request a shorter range.', {
          param: 'from',
        })
      const filters: FailureFilters | undefined = await rowsFor(asked, given)
      if (!filters) return { body: { items: [], isCut: false } }
      const grouping = by === 'failure' ? undefined : by === 'failure,key' ? 'key' : 'provider'
      const counts = await asked.parts.usage.failures({ from, to, by: grouping, filters })
      const groups = groupsOf(counts)
      return { body: { items: groups.slice(0, GROUPS), isCut: groups.length > GROUPS } }
    },
  }),
  route({
    method: 'get',
    path: '/refusals/unauthenticated',
    id: 'listUnauthenticated',
    summary: 'Counts refused requests of unknown callers of the last 7 days by address and reason.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'audit.read',
    isGateways: true,
    query: z.strictObject({
      from: InstantText.optional(),
      to: InstantText.optional(),
      limit: wholeNumber(1, 1_000).optional(),
    }),
    answer: z.object({ items: listOf(UnauthenticatedAddress) }),
    async handle({ parts, query }) {
      const now = (parts.now ?? Date.now)()
      const { from = now - DAY, to = now + 1, limit = 100 } = query
      const items = await parts.usage.unauthenticated({ from, to, limit })
      return { body: { items: items.map((item) => ({ ...item })) } }
    },
  }),
]

type Group = z.input<typeof FailureGroup>

/** Counts of all hours by group, the most frequent first. */
function groupsOf(counts: readonly FailureCount[]): readonly Group[] {
  const groups = new Map<string, Omit<Group, 'hours'> & { hours: { start: number; requests: number }[] }>()
  for (const { hour, failure, name, keyName, requests, newest } of counts) {
    const key = `${failure}\n${name}`
    const group = groups.get(key) ?? {
      failure,
      name,
      ...(keyName !== undefined && { keyName }),
      requests: 0,
      newest: null,
      hours: [],
    }
    groups.set(key, group)
    group.requests += requests
    if (newest !== '') group.newest = newest
    group.hours.push({ start: hour, requests })
  }
  return [...groups.values()].sort((one, other) => other.requests - one.requests)
}
