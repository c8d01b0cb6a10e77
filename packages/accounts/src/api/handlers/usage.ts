import { HeadgateError } from '@headgate/gateway/ports'
import type { OwnedUsage, RequestUsage as StoredRequest, UsageDimension, UsageFilters } from '@headgate/store'
import { csvHead, csvOf, ndjsonOf } from '@headgate/store/sql'
import { z } from '@hono/zod-openapi'
import { arithmeticOf } from '../arithmetic.ts'
import type { ManagementParts } from '../parts.ts'
import { PEOPLE_AND_SCRIPTS, type RouteRequest, route } from '../route.ts'
import { Id, Instant, InstantText, listOf, PAGE, Text, wholeNumber } from '../schemas.ts'
import { DIMENSIONS } from '../usage.ts'
import { Latency, SeriesPoint, UsageOfRequest, UsageRow } from '../usage-row.ts'

const Tag = z
  .string()
  .regex(/^[a-z0-9_.-]{1,32}(?:=.{0,64})?$/, 'A tag such as `team=a`, or its name.')
  .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), 'A tag cannot contain control characters.')
  .openapi({ example: 'team=a' })

const FILTERS = {
  key: Id.optional(),
  project: Id.optional(),
  environment: Id.optional(),
  member: Id.optional(),
  model: Text.optional(),
  provider: Id.optional(),
  endpoint: Id.optional(),
  family: Id.optional(),
  status: wholeNumber(0, 999).optional(),
  failure: Id.optional(),
  tag: Tag.optional(),
}
/** Filters that roll-ups support. */
const { endpoint: ______, failure: _, tag: __, ...SUMMED } = FILTERS
/** Filters for keys and their owners. */
const { model: ___, provider: ____, family: _____, status: _______, ...OWNED } = SUMMED
const RANGE = { from: InstantText.optional(), to: InstantText.optional() }
const Filters = z.object(FILTERS)

const Page = z.object({
  items: listOf(UsageRow),
  cursor: z.string().optional(),
  searchedUntil: Instant.optional().openapi({
    description: 'Time back to which the search went, if a filter without an index ended it early.',
  }),
})

/** Maximum number of points of a series. */
const POINTS = 20_000
const STEPS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const
/** Maximum range of a series of minutes in milliseconds: its sums come from rows. */
const MINUTES = 6 * STEPS.hour

export const USAGE_ROUTES = [
  route({
    method: 'get',
    path: '/usage',
    id: 'listUsage',
    summary: 'Lists requests and their costs, newest first; members see requests of their keys.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'usage.read',
    query: z.strictObject({ ...PAGE, ...RANGE, ...FILTERS }),
    answer: Page,
    async handle(asked) {
      const { limit = 50, cursor, from, to, ...given } = asked.query
      const filters = await filtersFor(asked, given)
      if (!filters) return { body: { items: [] } }
      const { rows, ...rest } = await asked.parts.usage.rows({ from, to, filters, limit, cursor })
      return { body: { items: rows.map((row) => ({ ...row })), ...rest } }
    },
  }),
  route({
    method: 'get',
    path: '/usage/series',
    id: 'readSeries',
    summary: 'Reads usage over time, grouped by up to two dimensions or by one tag (`tag:team`).',
    by: PEOPLE_AND_SCRIPTS,
    action: 'usage.read',
    query: z.strictObject({
      from: InstantText,
      to: InstantText,
      step: z.enum(['minute', 'hour', 'day']).openapi({ description: '`minute` covers at most 6 hours.' }),
      by: z
        .string()
        .regex(
          new RegExp(`^(?:tag:[a-z0-9_.-]{1,32}|(?:${DIMENSIONS.join('|')})(?:,(?:${DIMENSIONS.join('|')}))?)$`),
          'One or two dimensions, or `tag:` and a name.',
        )
        .optional(),
      top: wholeNumber(1, 100).optional(),
      ...SUMMED,
    }),
    answer: z.object({
      points: listOf(SeriesPoint),
      zone: z.string().openapi({ description: 'Time zone in which days begin.', example: 'Europe/Berlin' }),
    }),
    async handle(asked) {
      const { from, to, step, by = 'model', top, ...given } = asked.query
      if (to <= from) throw new HeadgateError('invalid-request', '`to` must be after `from`.', { param: 'to' })
      if ((to - from) / STEPS[step] > POINTS)
        throw new HeadgateError(
          'invalid-request',
          `A series has at most ${POINTS} steps. Request days, or a shorter range.`,
          { param: 'step' },
        )
      if (step === 'minute' && to - from > MINUTES)
        throw new HeadgateError(
          'invalid-request',
          'A series of minutes covers at most 6 hours. Request hours, or a shorter range.',
          {
            param: 'step',
          },
        )
      const filters = await filtersFor(asked, given)
      const dimensions = byOf(by)
      if (filters && 'tag' in dimensions) checkTagged(filters)
      const { usage } = asked.parts
      const zone = await usage.dayZone()
      if (!filters) return { body: { points: [], zone } }
      const points = await usage.series({ from, to, step, by: dimensions, filters, top })
      return { body: { points: points.map((point) => ({ ...point })), zone } }
    },
  }),
  route({
    method: 'get',
    path: '/usage/latency',
    id: 'readLatency',
    summary: 'Reads the time to the first byte of streamed responses, optionally with a previous range for comparison.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'usage.read',
    query: z.strictObject({
      from: InstantText,
      to: InstantText,
      before: InstantText.optional().openapi({
        description: 'Start of the previous range, which ends at `from`.',
      }),
      ...OWNED,
    }),
    answer: z.object({
      firstByteMs: Latency.nullable().openapi({
        description: 'Computed from whole hours; null if no response was streamed.',
      }),
      firstByteMsBefore: Latency.nullable().optional(),
    }),
    async handle(asked) {
      const { from, to, before, ...given } = asked.query
      if (to <= from) throw new HeadgateError('invalid-request', '`to` must be after `from`.', { param: 'to' })
      if (before !== undefined && before >= from)
        throw new HeadgateError('invalid-request', '`before` must be before `from`.', { param: 'before' })
      const filters = await filtersFor(asked, given)
      const latency = async (start: number, end: number) =>
        filters ? asked.parts.usage.latency({ from: start, to: end, filters }) : null
      const firstByteMs = await latency(from, to)
      return { body: { firstByteMs, ...(before !== undefined && { firstByteMsBefore: await latency(before, from) }) } }
    },
  }),
  route({
    method: 'get',
    path: '/usage/export',
    id: 'exportUsage',
    summary: 'Streams requests as a file: CSV, or one JSON object per line.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'usage.read',
    query: z.strictObject({ ...RANGE, ...FILTERS, format: z.enum(['csv', 'ndjson']).optional() }),
    streams: ['text/csv', 'application/x-ndjson'],
    async handle(asked) {
      const { from, to, format = 'csv', ...given } = asked.query
      const filters = await filtersFor(asked, given)
      const { caller, organization } = asked
      const after = { format, from: from ?? null, to: to ?? null }
      await asked.parts.accounts.recordAct(caller, {
        action: 'usage.export',
        target: organization,
        organization,
        after,
      })
      const pages = filters ? asked.parts.usage.each({ from, to, filters }) : nothing()
      return format === 'csv'
        ? { stream: { type: 'text/csv; charset=utf-8', name: 'usage.csv', texts: texts(pages, csvOf, csvHead()) } }
        : { stream: { type: 'application/x-ndjson', name: 'usage.ndjson', texts: texts(pages, ndjsonOf) } }
    },
  }),
  route({
    method: 'get',
    path: '/usage/{request}',
    id: 'readUsage',
    summary: 'Reads the cost of a request and how it was computed; also for the key that sent it.',
    by: ['session', 'admin key', 'any key'],
    action: 'usage.read',
    params: z.strictObject({ request: Id }),
    query: z.strictObject(RANGE),
    answer: UsageOfRequest,
    async handle(asked) {
      const { parts, params, query } = asked
      const { from, to } = query
      const within = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
      const found = await parts.usage.byRequest(params.request, Object.keys(within).length > 0 ? { within } : {})
      if (!found || !(await isSeen(asked, found))) throw new HeadgateError('not-found', 'There is no such request.')
      const arithmetic = parts.prices && arithmeticOf(found, parts.prices)
      return { body: { ...found, ...(arithmetic && { arithmetic }) } }
    },
  }),
]

type UsagePages = AsyncIterable<readonly OwnedUsage[]>

async function* texts(
  pages: UsagePages,
  textOf: (rows: readonly OwnedUsage[]) => string,
  head = '',
): AsyncGenerator<string> {
  if (head !== '') yield head
  for await (const rows of pages) yield textOf(rows)
}

/** Empty pages, for filters that match no visible rows. */
async function* nothing(): AsyncGenerator<readonly OwnedUsage[]> {}

type UsageCaller = Pick<RouteRequest, 'caller' | 'organization' | 'holder'> & { readonly parts: ManagementParts }

/** Filters limited to what the caller can see; undefined if nothing matches. */
async function filtersFor(
  { parts, caller, organization }: UsageCaller,
  given: z.infer<typeof Filters>,
): Promise<UsageFilters | undefined> {
  const { tag, ...filters } = given
  const { member, projects } = await parts.accounts.usageScope(caller, organization)
  if (member !== undefined && filters.member !== undefined && filters.member !== member) return undefined
  const project = projectFor(filters.project, projects)
  if (project === NONE) return undefined
  return {
    ...filters,
    ...(tag !== undefined && { tag: tagOf(tag) }),
    ...(member !== undefined && { member }),
    ...(project !== undefined && { project }),
  }
}

/** No visible project. */
const NONE = Symbol('none')

/** Project of the filter. With several organizations, a caller with several projects must name one. */
function projectFor(asked: string | undefined, own: readonly string[] | undefined): string | undefined | typeof NONE {
  if (own === undefined) return asked
  if (asked !== undefined) return own.includes(asked) ? asked : NONE
  if (own.length === 1) return own[0]
  const message = 'This gateway has several organizations, and yours has several projects. Name one in `project`.'
  throw new HeadgateError('invalid-request', message, { param: 'project' })
}

/** True if the caller can see the row: as the key that sent the request, or by organization and scope. */
async function isSeen({ parts, caller, organization, holder }: UsageCaller, row: StoredRequest): Promise<boolean> {
  if (caller.kind === 'anonymous') return holder !== undefined && row.principal === holder.id
  const { member, projects } = await parts.accounts.usageScope(caller, organization)
  return (
    (member === undefined || row.member === member) &&
    (projects === undefined || (row.project !== null && projects.includes(row.project)))
  )
}

/**
 * Checks filters of sums by tag, which support only `project`. @throws HeadgateError `invalid-request` for other
 * filters; `forbidden` if the caller sees only their own usage.
 */
function checkTagged({ project: _, member, ...others }: UsageFilters): void {
  const other = Object.entries(others).find(([, value]) => value !== undefined)
  if (other) throw new HeadgateError('invalid-request', 'With a tag, filter only by `project`.', { param: other[0] })
  if (member !== undefined)
    throw new HeadgateError('forbidden', 'Sums by tag cover all people, and you can see only your own usage.', {
      param: 'by',
    })
}

function tagOf(text: string): { name: string; value?: string } {
  const mark = text.indexOf('=')
  return mark < 0 ? { name: text } : { name: text.slice(0, mark), value: text.slice(mark + 1) }
}

function byOf(text: string): readonly UsageDimension[] | { readonly tag: string } {
  if (text.startsWith('tag:')) return { tag: text.slice(4) }
  return DIMENSIONS.filter((name) => text.split(',').includes(name))
}
