import type { CommandStore, OwnedUsage, StoredUsage } from '@headgate/store'
import {
  type Command,
  type CommandContext,
  configOption,
  dataDirOption,
  stringFlag,
  table,
  usageError,
} from './command.ts'
import { sixPlaces } from './money.ts'
import { withStore } from './store.ts'
import { FILTER_OPTIONS, groupingOf, type UsageQuery, usageQuery } from './usage-query.ts'
import { printSums } from './usage-sums.ts'

export const listUsage: Command = {
  name: 'usage',
  summary: 'lists or exports requests that reached a provider, or prints sums',
  options: {
    last: { type: 'string', value: 'number', help: 'number of requests (default 20; all with --csv and --ndjson)' },
    ...FILTER_OPTIONS,
    failed: { type: 'boolean', help: 'only failed requests' },
    by: {
      type: 'string',
      value: 'day,model',
      help: 'print sums by day or hour, and by up to two of model, provider, key, project, …',
    },
    csv: { type: 'boolean', help: 'print comma-separated values' },
    ndjson: { type: 'boolean', help: 'print one JSON object per line, with amounts in nano-dollars' },
    config: configOption,
    'data-dir': dataDirOption,
  },
  async run(context) {
    const { values, print } = context
    const last = values['last']
    const count = Number(last ?? 20)
    if (!Number.isInteger(count) || count < 1)
      throw usageError(`--last: found ${JSON.stringify(last)}; allowed: a number above 0`)
    const by = stringFlag(context, 'by')
    const grouping = by === undefined ? undefined : groupingOf(by)
    const isWritten = values['csv'] === true || values['ndjson'] === true
    if (grouping && (isWritten || last !== undefined || values['failed'] === true))
      throw usageError('--by prints sums. Omit --last, --failed, --csv and --ndjson.')
    const query = await usageQuery(context)
    await withStore(context, async (store) => {
      if (grouping) return printSums(context, store, query, grouping)
      if (isWritten) return write(context, store, query, last === undefined ? Number.POSITIVE_INFINITY : count)
      const rows: OwnedUsage[] = []
      for await (const page of pages(context, store, query, count)) rows.push(...page)
      print(tableOf(rows.reverse()))
    })
  },
}

/** Table of rows. The column of endpoints is left out if no provider of the rows has several. */
function tableOf(rows: readonly StoredUsage[]): string {
  const isSplit = rows.some(({ endpoint }) => endpoint !== null)
  const place = isSplit ? ['PROVIDER', 'ENDPOINT'] : ['PROVIDER']
  const headings = ['TIME', 'KEY', 'FAMILY', 'MODEL', ...place, 'STATUS', 'INPUT', 'OUTPUT', 'UNITS', 'DOLLARS', 'WHY']
  return table(
    headings,
    rows.map((row) => cells(row, isSplit)),
  )
}

/** Pages of usage rows, newest first, with `most` rows at most. */
async function* pages(
  { values }: Pick<CommandContext, 'values'>,
  { usage }: Pick<CommandStore, 'usage'>,
  query: UsageQuery,
  most: number,
): AsyncIterable<readonly OwnedUsage[]> {
  let left = most
  for await (const page of usage.each(query)) {
    const rows = (values['failed'] === true ? page.filter(({ failure }) => failure !== null) : page).slice(0, left)
    left -= rows.length
    yield rows
    if (left <= 0) return
  }
}

async function write(
  context: CommandContext,
  store: Pick<CommandStore, 'usage'>,
  query: UsageQuery,
  most: number,
): Promise<void> {
  const { csvHead, csvOf, ndjsonOf } = await import('@headgate/store')
  const isCsv = context.values['csv'] === true
  if (isCsv) context.print(linesOf(csvHead()))
  for await (const rows of pages(context, store, query, most))
    context.print(isCsv ? linesOf(csvOf(rows)) : ndjsonOf(rows))
}

/** Lines with LF endings instead of CRLF. */
function linesOf(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

function cells(row: StoredUsage, isSplit: boolean): string[] {
  const { at, principal, family, model, provider, endpoint, status, input, output, units, cost, why } = row
  return [
    timeText(at),
    principal,
    family,
    model,
    provider,
    ...(isSplit ? [endpoint ?? ''] : []),
    String(status),
    tokenText(input, family),
    tokenText(output, family),
    unitsText(units),
    cost === null ? '?' : sixPlaces(BigInt(cost)),
    why,
  ]
}

/** Families that are counted in units; tokens are optional. */
const COUNTS_UNITS: readonly string[] = ['search', 'video']

function tokenText(tokens: number | null, family: string): string {
  if (COUNTS_UNITS.includes(family)) return tokens ? String(tokens) : ''
  return String(tokens ?? '?')
}

function unitsText(units: StoredUsage['units']): string {
  return Object.entries(units ?? {})
    .map(([unit, count]) => `${count} ${count === 1 ? unit.replace(/(?<=ch)es$|s$/, '') : unit}`)
    .join(', ')
}

function timeText(time: number): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? '?' : date.toISOString()
}
