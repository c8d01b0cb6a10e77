import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BillAmounts, Difference, Reconciled } from '@headgate/store'
import { type Command, type CommandContext, dataDirOption, table, textOf, usageError } from './command.ts'
import { sixPlaces } from './money.ts'
import { withStore } from './store.ts'

/** Longest file that is read, in bytes. */
const MOST = 256 * 1024 * 1024

export const reconcile: Command = {
  name: 'reconcile',
  words: '<file>',
  summary: "compares a vendor's export of usage or costs with the ledger, by day and model",
  options: {
    provider: { type: 'string', value: 'name', help: 'the provider whose bill it is, as the configuration calls it' },
    'data-dir': dataDirOption,
  },
  async run(context) {
    const [file, ...more] = context.words
    const provider = textOf(context, 'provider')
    if (!file || more.length > 0 || provider === undefined)
      throw usageError('reconcile takes one file and a provider: headgate reconcile usage.csv --provider <name>.')
    const { compareBill, rangeOf, readBill } = await import('@headgate/store')
    const bill = readBill(textOfFile(context, file))
    const range = rangeOf(bill)
    if (!range) throw usageError(`${file} has no lines that name a day and a model.`)
    const days = await withStore(context, ({ usage }) => usage.daysByModel({ ...range, provider }))
    const { lines, total, unpriced } = compareBill(bill, days)
    const rows = [...lines, { ...total, day: 'total', model: '' }].map(cells)
    const sides = ['INPUT', 'OUTPUT', 'DOLLARS'].flatMap((name) => [name, 'LEDGER', 'DIFFERENCE'])
    context.print(table(['DAY', 'MODEL', ...sides], rows))
    for (const remark of bill.remarks) context.note(`${remark}\n`)
    if (unpriced > 0) context.note(`${unpriced} calls of these days have no known price in the ledger.\n`)
    if (days.length === 0) context.note(`The ledger has nothing of a provider ${JSON.stringify(provider)} on these days.\n`)
  },
}

function textOfFile({ folder }: CommandContext, file: string): string {
  const path = resolve(folder, file)
  try {
    if (statSync(path).size > MOST) throw usageError(`${path} is longer than ${MOST} bytes: export fewer days.`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    throw usageError(`${path} can not be read: ${String(error.code)}`)
  }
}

function cells({ day, model, bill, ledger, differences }: Reconciled): string[] {
  return [
    day,
    model,
    ...(['input', 'output', 'cost'] as const).flatMap((name) => [
      amount(name, bill?.[name]),
      amount(name, ledger?.[name]),
      difference(name, differences[name]),
    ]),
  ]
}

function amount(name: keyof BillAmounts, value: number | bigint | undefined): string {
  if (value === undefined) return '-'
  return name === 'cost' ? signed(BigInt(value)) : String(value)
}

function difference(name: keyof BillAmounts, found: Difference | undefined): string {
  if (!found) return '-'
  const { absolute, percent } = found
  const text = name === 'cost' ? signed(absolute) : String(absolute)
  return percent === null || absolute === 0n ? text : `${text} (${percent.toFixed(1)} %)`
}

function signed(nanos: bigint): string {
  return nanos < 0n ? `-${sixPlaces(-nanos)}` : sixPlaces(nanos)
}
