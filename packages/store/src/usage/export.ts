import { inDollars } from '@headgate/gateway/ports'
import { type Cell, csvLine } from '../csv.ts'
import type { OwnedUsage } from './rows.ts'

/** Columns, in their order. Dollars are decimal numbers; what is JSON in a row is JSON in its cell. */
const COLUMNS: readonly (readonly [name: string, cell: (row: OwnedUsage) => Cell])[] = [
  ['time', ({ at }) => timeText(at)],
  ['request_id', (row) => row.requestId],
  ['key', (row) => row.principal],
  ['project', (row) => row.project],
  ['environment', (row) => row.environment],
  ['member', (row) => row.member],
  ['family', (row) => row.family],
  ['format', (row) => row.format],
  ['model', (row) => row.model],
  ['provider', (row) => row.provider],
  ['provider_model', (row) => row.providerModel],
  ['status', (row) => row.status],
  ['why', (row) => row.why],
  ['failure', (row) => row.failure],
  ['finish', (row) => row.finish],
  ['stream', (row) => row.stream],
  ['translated', (row) => row.translated],
  ['input', (row) => row.input],
  ['output', (row) => row.output],
  ['cache_read', (row) => row.cacheRead],
  ['cache_write', (row) => row.cacheWrite],
  ['cache_write_long', (row) => row.cacheWriteLong],
  ['reasoning', (row) => row.reasoning],
  ['audio_input', (row) => row.audioInput],
  ['audio_output', (row) => row.audioOutput],
  ['units', (row) => row.units && JSON.stringify(row.units)],
  ['estimated', (row) => row.estimated],
  ['cost', (row) => dollars(row.cost)],
  ['charged', (row) => dollars(row.charged)],
  ['held', (row) => dollars(row.held)],
  ['price_id', (row) => row.priceId],
  ['billed', (row) => row.billed],
  ['losses', (row) => (row.losses.length > 0 ? JSON.stringify(row.losses) : null)],
  ['tags', (row) => row.tags && JSON.stringify(row.tags)],
  ['first_byte_ms', (row) => row.firstByteMs],
  ['duration_ms', (row) => row.durationMs],
  ['corrects', (row) => row.corrects],
  ['id', (row) => row.id],
]

/** The first line of comma-separated values (RFC 4180): names of the columns. */
export function csvHead(): string {
  return csvLine(COLUMNS.map(([name]) => name))
}

/** Lines of rows, which follow `csvHead`. */
export function csvOf(rows: readonly OwnedUsage[]): string {
  let text = ''
  for (const row of rows) text += csvLine(COLUMNS.map(([, cell]) => cell(row)))
  return text
}

/** Rows as JSON, one a line, with nano-dollars as decimal strings. */
export function ndjsonOf(rows: readonly OwnedUsage[]): string {
  let text = ''
  for (const row of rows) text += `${JSON.stringify(row)}\n`
  return text
}

function dollars(nanos: string | null): string | null {
  if (nanos === null) return null
  return nanos.startsWith('-') ? `-${inDollars(BigInt(nanos.slice(1)))}` : inDollars(BigInt(nanos))
}

/** Whatever a store holds: an instant that no calendar has stays a number. */
function timeText(at: number): string | number {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : at
}
