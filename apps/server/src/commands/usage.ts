import type { StoredUsage } from '@headgate/store'
import { type Command, dataDirOption, table, usageError } from './command.ts'
import { withStore } from './store.ts'

export const listUsage: Command = {
  name: 'usage',
  summary: 'lists the last requests that reached a provider',
  options: { last: { type: 'string', value: 'number', help: 'how many; 20' }, 'data-dir': dataDirOption },
  async run(context) {
    const last = context.values['last'] ?? '20'
    const count = Number(last)
    if (!Number.isInteger(count) || count < 1) throw usageError(`--last: found ${JSON.stringify(last)}; allowed: a number above 0`)
    const page = await withStore(context, ({ usage }) => usage.page({ limit: count }))
    const rows = page.map(cells).reverse()
    context.print(table(['TIME', 'KEY', 'FAMILY', 'MODEL', 'PROVIDER', 'STATUS', 'INPUT', 'OUTPUT', 'UNITS', 'DOLLARS', 'WHY'], rows))
  },
}

function cells(row: StoredUsage): string[] {
  const { at, principal, family, model, provider, status, input, output, units, cost, why } = row
  return [
    timeText(at),
    principal,
    family,
    model,
    provider,
    String(status),
    tokenText(input, family),
    tokenText(output, family),
    unitsText(units),
    cost === null ? '?' : dollars(BigInt(cost)),
    why,
  ]
}

/** Families that count units, and tokens at most beside them. */
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

/** Nano-dollars as dollars with six places, half up. */
function dollars(nanos: bigint): string {
  const micros = (nanos + 500n) / 1_000n
  return `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, '0')}`
}
