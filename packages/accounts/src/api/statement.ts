import { inDollars } from '@headgate/gateway/ports'
import type { UpstreamTotal } from '@headgate/store'
import { csvLine, dayAt, startOfDay } from '@headgate/store/sql'
import { NO_SPEND, plus, type SpendGroup, type SpendSums } from './spend.ts'

/** Line of a statement: usage of a project and model. */
export interface StatementLine {
  /** Null = unknown. */
  readonly project: string | null
  readonly projectName: string | null
  readonly model: string
  readonly sums: SpendSums
}

/** Usage of a month, by project and model. */
export interface Statement {
  /** `2026-11`. */
  readonly month: string
  readonly zone: string
  readonly from: number
  readonly to: number
  /** True if the month has ended. */
  readonly isComplete: boolean
  readonly lines: readonly StatementLine[]
  readonly total: SpendSums
  /**
   * Calls and costs by provider and model of the days of the month in UTC: the ledger's side of `headgate reconcile`.
   * Absent for people who do not see all usage.
   */
  readonly providers?: readonly UpstreamTotal[] | undefined
}

/** Start and end of a month in a time zone. */
export function monthIn(zone: string, month: string): { readonly from: number; readonly to: number } {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const first = (place: number): string => new Date(Date.UTC(year, place, 1)).toISOString().slice(0, 10)
  return { from: startOfDay(zone, first(number - 1)), to: startOfDay(zone, first(number)) }
}

/** The current month in a time zone. */
export function monthAt(zone: string, at: number): string {
  return dayAt(zone, at).date.slice(0, 7)
}

/** Lines by project and model, in the order of project names and models, and their total. */
export function linesOf(groups: readonly SpendGroup[]): Pick<Statement, 'lines' | 'total'> {
  const lines = groups.map(({ ids: [project = null, model], names: [projectName = null], sums, isRest }) => ({
    project,
    projectName,
    model: isRest ? 'others' : (model ?? ''),
    sums,
  }))
  const keyOf = ({ projectName, model }: StatementLine): string => `${projectName ?? '\uFFFF'}\0${model}`
  return {
    lines: lines.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
    total: lines.reduce((sum, line) => plus(sum, line.sums), NO_SPEND),
  }
}

const COLUMNS = [
  ...['line', 'month', 'time_zone', 'project', 'project_name', 'provider', 'model'],
  ...['requests', 'failed', 'calls', 'unpriced', 'input_tokens', 'output_tokens', 'cache_read_tokens'],
  ...['charged_usd', 'cost_usd', 'held_usd'],
] as const

type Cells = Readonly<Partial<Record<(typeof COLUMNS)[number], string | number | null>>>

/** CSV of a statement: lines `usage` and their `total`, and lines `provider` of the days of the month in UTC. */
export function statementCsv({ month, zone, lines, total, providers = [] }: Statement): string {
  const line = (cells: Cells): string => csvLine(COLUMNS.map((name) => cells[name]))
  const own = { month, time_zone: zone }
  return [
    csvLine(COLUMNS),
    ...lines.map(({ project, projectName, model, sums }) =>
      line({ ...own, line: 'usage', project, project_name: projectName, model, ...cellsOf(sums) }),
    ),
    line({ ...own, line: 'total', ...cellsOf(total) }),
    ...providers.map(({ provider, model, calls, unpriced, input, output, cacheRead, cost }) =>
      line({
        month,
        time_zone: 'UTC',
        line: 'provider',
        provider,
        model,
        calls,
        unpriced,
        input_tokens: input,
        output_tokens: output,
        cache_read_tokens: cacheRead,
        cost_usd: dollars(cost),
      }),
    ),
  ].join('')
}

function cellsOf({ requests, failed, unpriced, input, output, cacheRead, charged, cost, held }: SpendSums): Cells {
  return {
    requests,
    failed,
    unpriced,
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    charged_usd: dollars(charged),
    cost_usd: dollars(cost),
    held_usd: dollars(held),
  }
}

function dollars(nanos: string): string {
  const amount = BigInt(nanos)
  return amount < 0n ? `-${inDollars(-amount)}` : inDollars(amount)
}
