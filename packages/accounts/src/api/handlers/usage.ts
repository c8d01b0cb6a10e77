import { HeadgateError } from '@headgate/gateway/ports'
import type { OwnedUsage, ReadWords, RowFilters, RequestUsage as StoredRequest, UsageFilters } from '@headgate/store'
import { allows, csvHead, csvOf, ndjsonOf } from '@headgate/store/sql'
import { z } from '@hono/zod-openapi'
import { arithmeticOf } from '../arithmetic.ts'
import type { ManagementParts } from '../parts.ts'
import { PEOPLE_AND_SCRIPTS, type RouteRequest, route } from '../route.ts'
import { Id, Instant, InstantText, listOf, PAGE, Text, wholeNumber } from '../schemas.ts'
import { LIST_FILTERS, rowFiltersOf } from '../usage-filters.ts'
import { Latency, SeriesPoint, UsageOfRequest, UsageRow } from '../usage-row.ts'
import { byDayOf, checkGrouping, Grouping, groupingOf, Zone } from '../usage-sums.ts'

/** Filters for keys and their owners. */
export const OWNED = {
  key: Id.optional(),
  project: Id.optional(),
  environment: Id.optional(),
  member: Id.optional(),
}
/** Filters that roll-ups support. */
export const SUMMED = {
  ...OWNED,
  model: Text.optional(),
  provider: Id.optional(),
  family: Id.optional(),
  status: wholeNumber(0, 999).optional(),
}
const RANGE = { from: InstantText.optional(), to: InstantText.optional() }
const Filters = z.object(SUMMED)

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
/** Maximum range of a series of days that are summed from hours. */
const HOURS = 100 * STEPS.day

export const USAGE_ROUTES = [
  route({
    method: 'get',
    path: '/usage',
    id: 'listUsage',
    summary: 'Lists requests and their costs, newest first; members see requests of their keys.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'usage.read',
    query: z.strictObject({
      ...PAGE,
      ...RANGE,
      ...LIST_FILTERS,
      sort: z.enum(['newest', 'cost', 'duration', 'tokens']).optional().openapi({
        description:
          'Order, the greatest first; default `newest`. Other orders need a range of at most 7 days, and sort its newest 100,000 matching requests.',
      }),
    }),
    answer: Page,
    async handle(asked) {
      const { limit = 50, cursor, from, to, sort, ...given } = asked.query
      if (sort !== undefined && sort !== 'newest') checkSortable(from, to, (asked.parts.now ?? Date.now)())
      const filters = await rowsFor(asked, rowFiltersOf(given))
      if (!filters) return { body: { items: [] } }
      const refused = given.refused !== 'false'
      const { rows, ...rest } = await asked.parts.usage.rows({ from, to, filters, refused, sort, limit, cursor })
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
      by: Grouping.optional(),
      top: wholeNumber(1, 100).optional(),
      zone: Zone.optional().openapi({
        description:
          'Time zone of days; default: the store’s. In another zone, hours are summed; a range of more than 100 days has the days of the store.',
      }),
      ...SUMMED,
    }),
    answer: z.object({
      points: listOf(SeriesPoint),
      zone: z.string().openapi({ description: 'Time zone in which days begin.', example: 'Europe/Berlin' }),
    }),
    async handle(asked) {
      const { from, to, step, by: grouping = 'model', top, zone: asZone, ...given } = asked.query
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
      const by = groupingOf(grouping)
      if (filters) checkGrouping(by, filters)
      const { usage } = asked.parts
      const ofStore = await usage.dayZone()
      const isOther = asZone !== undefined && asZone !== ofStore && step === 'day' && to - from <= HOURS
      const zone = isOther ? asZone : ofStore
      if (!filters) return { body: { points: [], zone } }
      const read = await usage.series({ from, to, step: isOther ? 'hour' : step, by, filters, top })
      const points = isOther ? byDayOf(zone, read) : read
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
    query: z.strictObject({ ...RANGE, ...LIST_FILTERS, format: z.enum(['csv', 'ndjson']).optional() }),
    streams: ['text/csv', 'application/x-ndjson'],
    async handle(asked) {
      const { from, to, format = 'csv', ...given } = asked.query
      const filters = await rowsFor(asked, rowFiltersOf(given))
      const { caller, organization } = asked
      const after = { format, from: from ?? null, to: to ?? null }
      await asked.parts.accounts.recordAct(caller, {
        action: 'usage.export',
        target: organization,
        organization,
        after,
      })
      const refused = given.refused !== 'false'
      const pages = filters ? asked.parts.usage.each({ from, to, filters, refused }) : nothing()
      const name = `${fileName(from, to, (asked.parts.now ?? Date.now)())}.${format}`
      return format === 'csv'
        ? { stream: { type: 'text/csv; charset=utf-8', name, texts: texts(pages, csvOf, csvHead()) } }
        : { stream: { type: 'application/x-ndjson', name, texts: texts(pages, ndjsonOf) } }
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
      if (!found || !(await isSeen(asked, found))) throw new HeadgateError('not-found', NO_REQUEST)
      const arithmetic = parts.prices && arithmeticOf(found, parts.prices)
      const words = await wordsOf(asked, found)
      const attempts = found.attempts.map((attempt, index) => {
        const text = words?.attempts[index]
        return text === undefined ? attempt : { ...attempt, words: text }
      })
      const { message } = words ?? {}
      const traceUrl = parts.traceUrlOf?.(found)
      const more = { ...(message !== undefined && { message }), ...(traceUrl !== undefined && { traceUrl }) }
      return { body: { ...found, attempts, ...more, ...(arithmetic && { arithmetic }) } }
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

/** Reasons for which a request is not stored. */
const NO_REQUEST =
  'There is no such request. It may be of another organization or member, older than the stored requests, sent without a valid key, or one of many refused requests, of which only a sample is stored.'

const DAY = 86_400_000
/** Maximum range of a list that is not sorted by time, in milliseconds. */
const SORTABLE = 7 * DAY

/** @throws HeadgateError `invalid-request` for a range that is too long to be sorted */
function checkSortable(from: number | undefined, to: number | undefined, now: number): void {
  if (from !== undefined && (to ?? now) - from <= SORTABLE) return
  throw new HeadgateError('invalid-request', 'Only a range of at most 7 days can be sorted. Set `from` and `to`.', {
    param: 'sort',
  })
}

/** File name of an export with the days of its range in UTC, such as `headgate-usage-2026-11-16_2026-11-23`. */
function fileName(from: number | undefined, to: number | undefined, now: number): string {
  const date = (at: number) => new Date(at).toISOString().slice(0, 10)
  const last = date((to ?? now + 1) - 1)
  const first = from === undefined ? undefined : date(from)
  return `headgate-usage-${first === undefined ? `until-${last}` : first === last ? first : `${first}_${last}`}`
}

export type UsageCaller = Pick<RouteRequest, 'caller' | 'organization' | 'holder'> & { readonly parts: ManagementParts }

/** Filters limited to what the caller can see; undefined if nothing matches. */
export async function filtersFor(
  { parts, caller, organization }: UsageCaller,
  given: z.infer<typeof Filters>,
): Promise<UsageFilters | undefined> {
  const filters = given
  const { member, projects } = await parts.accounts.usageScope(caller, organization)
  if (member !== undefined && filters.member !== undefined && filters.member !== member) return undefined
  const project = projectFor(filters.project, projects)
  if (project === NONE) return undefined
  return {
    ...filters,
    ...(member !== undefined && { member }),
    ...(project !== undefined && { project }),
  }
}

/** Filters of rows limited to what the caller can see; undefined if nothing matches. */
export async function rowsFor(
  { parts, caller, organization }: UsageCaller,
  filters: RowFilters,
): Promise<RowFilters | undefined> {
  const { member, projects } = await parts.accounts.usageScope(caller, organization)
  if (member !== undefined && !allows(filters.member, member)) return undefined
  if (projects && !projects.some((project) => allows(filters.project, project))) return undefined
  return {
    ...filters,
    ...(member !== undefined && { onlyMember: member }),
    ...(projects && { onlyProject: { values: projects } }),
  }
}

/** Messages of a request; undefined without messages, after they were deleted, or if the caller may not read them. */
async function wordsOf(
  { parts, caller, organization }: UsageCaller,
  { requestId, id, at, principal, member }: StoredRequest,
): Promise<ReadWords | undefined> {
  const words = await parts.words?.read({ requestId, id, at })
  if (!words) return undefined
  // A key reads only its own requests.
  const isOwn = caller.kind === 'anonymous' || (caller.kind === 'person' && caller.id === member)
  if (isOwn || (await parts.accounts.readWordsOf(caller, organization, principal, requestId))) return words
  return undefined
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
