import { HeadgateError } from '@headgate/gateway/ports'
import type { SeriesPoint, SeriesQuery } from '@headgate/store'
import { startOfDay } from '@headgate/store/sql'
import { z } from '@hono/zod-openapi'
import type { ManagementParts } from '../parts.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Charge, Instant, listOf, Text, wholeNumber } from '../schemas.ts'
import { dimensionsOf, found, groupsOf, NO_SPEND, ordered, plus, SORTS, type SpendGroup } from '../spend.ts'
import { linesOf, monthAt, monthIn, type Statement, statementCsv } from '../statement.ts'
import { checkGrouping, Grouping, groupingOf, Zone } from '../usage-sums.ts'
import { filtersFor, SUMMED, type UsageCaller } from './usage.ts'

/** Maximum number of separate groups. */
const GROUPS = 10_000
const PAGE = 100
/** Number of groups with the largest changes in a response. */
const MOVERS = 6

const Count = z.int()
const Sums = z
  .object({
    requests: Count,
    failed: Count.nullable().openapi({ description: 'Null for tags, end users and sessions.' }),
    unpriced: Count.openapi({ description: 'Requests of unknown cost, which are in no amount.' }),
    usageUnknown: Count.openapi({ description: 'Part of `unpriced` whose usage the provider did not report.' }),
    input: Count,
    output: Count,
    cacheRead: Count,
    cacheWrite: Count,
    charged: Charge,
    cost: Charge,
    held: Charge.openapi({
      description: 'Upper bound of the cost of requests of unknown cost, as far as budgets reserved it.',
    }),
  })
  .openapi('SpendSums')

const Both = { sums: Sums, before: Sums.openapi({ description: 'Sums of the range before.' }) }

const Group = z
  .object({
    ids: listOf(z.string().nullable()).openapi({ description: 'Value of each dimension; null if unknown.' }),
    names: listOf(z.string().nullable()).openapi({ description: 'Name of each value.' }),
    isRest: z
      .literal(true)
      .optional()
      .openapi({ description: `True for the sum of all groups beyond ${GROUPS}.` }),
    ...Both,
  })
  .openapi('SpendGroup')

/** Instant in Unix milliseconds, or a date. */
const TimeText = z
  .string()
  .regex(/^(?:\d{1,16}|\d{4}-\d\d-\d\d)$/, 'Unix milliseconds, or a date such as `2026-11-01`.')
  .openapi({ description: 'Unix milliseconds, or a date in the time zone.', example: '2026-11-01' })

const Month = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, 'A month such as `2026-11`.')

const StatementLine = z.object({
  project: z.string().nullable(),
  projectName: z.string().nullable(),
  model: z.string(),
  sums: Sums,
})
const StatementAnswer = z
  .object({
    month: z.string(),
    zone: z.string(),
    from: Instant,
    to: Instant,
    isComplete: z.boolean().openapi({ description: 'True if the month has ended.' }),
    lines: listOf(StatementLine),
    total: Sums,
    providers: listOf(
      z.object({
        provider: z.string(),
        model: z.string().openapi({ description: 'Name of the model at the provider.' }),
        calls: Count,
        unpriced: Count,
        input: Count,
        output: Count,
        cacheRead: Count,
        cacheWrite: Count,
        cost: Charge,
      }),
    )
      .optional()
      .openapi({
        description:
          'Calls of the days of the month in UTC, which `headgate reconcile` compares with a bill; absent for people who do not see all usage.',
      }),
  })
  .openapi('SpendStatement')

export const SPEND_ROUTES = [
  route({
    method: 'get',
    path: '/spend',
    id: 'readSpend',
    summary: 'Reads usage of a range by group, and of the range before; members see usage of their keys.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'usage.read',
    query: z.strictObject({
      from: TimeText,
      to: TimeText,
      zone: Zone.optional().openapi({ description: 'Time zone of dates; default: the store’s.' }),
      before: TimeText.optional().openapi({ description: 'Start of the range before; default: of the same length.' }),
      beforeTo: TimeText.optional().openapi({ description: 'End of the range before; default: `from`.' }),
      by: Grouping.optional(),
      search: Text.optional().openapi({ description: 'Part of a name or id, in any case.' }),
      sort: z.enum(SORTS).optional().openapi({ description: 'Default: `spend`. `change`: by the size of the change.' }),
      order: z.enum(['usual', 'reversed']).optional(),
      limit: wholeNumber(1, 1_000).optional(),
      cursor: z
        .string()
        .regex(/^\d{1,6}$/)
        .optional(),
      ...SUMMED,
    }),
    answer: z.object({
      items: listOf(Group),
      cursor: z.string().optional(),
      count: Count.openapi({ description: 'Number of groups that match the search.' }),
      movers: listOf(Group).openapi({ description: 'Groups with the largest changes in either direction.' }),
      total: z
        .object(Both)
        .openapi({ description: 'Sums of all groups, also of groups that do not match the search.' }),
      from: Instant,
      to: Instant,
      before: Instant,
      beforeTo: Instant,
      zone: z.string(),
    }),
    async handle(asked) {
      const { from, to, zone: asZone, before, beforeTo, by: grouping = 'model', ...given } = asked.query
      const { search = '', sort = 'spend', order, limit = PAGE, cursor = '0', ...filtered } = given
      const { usage } = asked.parts
      const zone = asZone ?? (await usage.dayZone())
      const range = rangeOf(zone, { from, to, before, beforeTo })
      const by = groupingOf(grouping)
      const filters = await filtersFor(asked, filtered)
      if (filters) checkGrouping(by, filters)
      const read = (start: number, end: number): Promise<readonly SeriesPoint[]> =>
        filters ? usage.groups({ from: start, to: end, by, filters, limit: GROUPS }) : Promise.resolve([])
      const [now, earlier] = await Promise.all([read(range.from, range.to), read(range.before, range.beforeTo)])
      const groups = await named(usage, by, groupsOf(now, earlier))
      const matching = ordered(search === '' ? groups : found(groups, search), sort, order === 'reversed')
      const start = Number(cursor)
      const items = matching.slice(start, start + limit)
      return {
        body: {
          items,
          ...(matching.length > start + limit && { cursor: String(start + limit) }),
          count: matching.length,
          movers: ordered(groups, 'change', false).slice(0, MOVERS),
          total: {
            sums: groups.reduce((sum, group) => plus(sum, group.sums), NO_SPEND),
            before: groups.reduce((sum, group) => plus(sum, group.before), NO_SPEND),
          },
          ...range,
          zone,
        },
      }
    },
  }),
  route({
    method: 'get',
    path: '/spend/statement',
    id: 'readStatement',
    summary: 'Reads the usage of a month by project and model, as JSON or CSV.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'usage.read',
    query: z.strictObject({
      month: Month.optional().openapi({ description: 'Default: the current month.', example: '2026-11' }),
      zone: Zone.optional().openapi({ description: 'Time zone of the month; default: the store’s.' }),
      format: z.enum(['csv', 'json']).optional().openapi({ description: 'Default: `json`.' }),
      project: SUMMED.project,
    }),
    answer: StatementAnswer,
    streams: ['text/csv'],
    async handle(asked) {
      const statement = await statementOf(asked, asked.query)
      if (asked.query.format !== 'csv') return { body: statement }
      const name = `headgate-statement-${statement.month}.csv`
      return { stream: { type: 'text/csv; charset=utf-8', name, texts: once(statementCsv(statement)) } }
    },
  }),
]

interface AskedRange {
  readonly from: string
  readonly to: string
  readonly before?: string | undefined
  readonly beforeTo?: string | undefined
}

/** Instants of a range. @throws HeadgateError `invalid-request` if a range ends before it begins */
function rangeOf(zone: string, asked: AskedRange) {
  const instant = (text: string): number => (text.includes('-') ? startOfDay(zone, checkedDate(text)) : Number(text))
  const [from, to] = [instant(asked.from), instant(asked.to)]
  const beforeTo = asked.beforeTo === undefined ? from : instant(asked.beforeTo)
  const before = asked.before === undefined ? Math.max(0, beforeTo - (to - from)) : instant(asked.before)
  if (to <= from) throw new HeadgateError('invalid-request', '`to` must be after `from`.', { param: 'to' })
  if (before > beforeTo)
    throw new HeadgateError('invalid-request', '`before` must be before `beforeTo`.', { param: 'before' })
  return { from, to, before, beforeTo: Math.max(beforeTo, before + 1) }
}

function checkedDate(text: string): string {
  if (Number.isNaN(Date.parse(text)))
    throw new HeadgateError('invalid-request', `There is no date ${text}.`, { param: 'from' })
  return text
}

/** Groups with the names of their keys, projects and members. */
async function named(
  usage: ManagementParts['usage'],
  by: SeriesQuery['by'],
  groups: readonly SpendGroup[],
): Promise<readonly SpendGroup[]> {
  const dimensions = dimensionsOf(by) ?? []
  const names = await Promise.all(
    dimensions.map((dimension, place) =>
      dimension === 'key' || dimension === 'project' || dimension === 'member'
        ? usage.namesOf(
            dimension,
            groups.flatMap(({ ids }) => ids[place] ?? []),
          )
        : {},
    ),
  )
  return groups.map((group) => ({
    ...group,
    names: group.ids.map((id, place) => (id === null ? null : nameIn(names[place], id))),
  }))
}

function nameIn(names: Readonly<Record<string, string>> | undefined, id: string): string {
  return names && Object.hasOwn(names, id) ? (names[id] ?? id) : id
}

/** Statement of a month, of what the caller can see. */
export async function statementOf(
  asked: UsageCaller,
  query: {
    readonly month?: string | undefined
    readonly zone?: string | undefined
    readonly project?: string | undefined
  },
): Promise<Statement> {
  const { parts, caller, organization } = asked
  const { usage } = parts
  const zone = query.zone ?? (await usage.dayZone())
  const now = (parts.now ?? Date.now)()
  const month = query.month ?? monthAt(zone, now)
  const { from, to } = monthIn(zone, month)
  const filters = await filtersFor(asked, { project: query.project })
  const by: SeriesQuery['by'] = ['project', 'model']
  const points = filters ? await usage.groups({ from, to, by, filters, limit: GROUPS }) : []
  const { lines, total } = linesOf(await named(usage, by, groupsOf(points, [])))
  const scope = await parts.accounts.usageScope(caller, organization)
  const isAll = scope.member === undefined && scope.projects === undefined && query.project === undefined
  const providers = isAll ? await usage.upstreamTotals(monthIn('UTC', month)) : undefined
  return { month, zone, from, to, isComplete: to <= now, lines, total, ...(providers && { providers }) }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}
