import { dataDirectory } from '../config/settings.ts'
import { openStore } from '../store/store.ts'
import type { StoredUsage } from '../store/usage.ts'
import { type Command, dataDirOption, flagsOf, table, usageError } from './command.ts'

export const listUsage: Command = {
  name: 'usage',
  summary: 'lists the last requests that reached a provider',
  options: { last: { type: 'string', value: 'number', help: 'how many; 20' }, 'data-dir': dataDirOption },
  run(context) {
    const last = context.values['last'] ?? '20'
    const count = Number(last)
    if (!Number.isInteger(count) || count < 1) throw usageError(`--last: found ${JSON.stringify(last)}; allowed: a number above 0`)
    const store = openStore(dataDirectory(flagsOf(context.values), context), (problem) => context.note(`${problem}\n`))
    const rows = store.usage.last(count).reverse().map(cells)
    store.close()
    context.print(table(['TIME', 'KEY', 'FAMILY', 'MODEL', 'PROVIDER', 'STATUS', 'INPUT', 'OUTPUT', 'SEARCHES', 'DOLLARS', 'WHY'], rows))
  },
}

function cells(row: StoredUsage): string[] {
  const text = (column: string) => String(row[column] ?? '?')
  const isSearch = row['family'] === 'search'
  return [
    timeText(Number(row['started_at'])),
    text('principal'),
    text('family'),
    text('model'),
    text('provider'),
    text('status'),
    isSearch ? '' : text('input'),
    isSearch ? '' : text('output'),
    String(row['web_searches'] ?? ''),
    typeof row['cost'] === 'bigint' ? dollars(row['cost']) : '?',
    text('why'),
  ]
}

function timeText(time: number): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? '?' : date.toISOString()
}

/** Nano-dollars as dollars with six places, half up. */
function dollars(nanos: bigint): string {
  const micros = (nanos + 500n) / 1_000n
  return `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, '0')}`
}
