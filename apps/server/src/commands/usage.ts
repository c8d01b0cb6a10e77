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
  const dollars = typeof row['cost'] === 'number' ? (row['cost'] / 1e9).toFixed(6) : '?'
  const time = new Date(Number(row['started_at'])).toISOString()
  const isSearch = row['family'] === 'search'
  return [
    time,
    text('principal'),
    text('family'),
    text('model'),
    text('provider'),
    text('status'),
    isSearch ? '' : text('input'),
    isSearch ? '' : text('output'),
    String(row['web_searches'] ?? ''),
    dollars,
    text('why'),
  ]
}
