import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BillAmounts, BillComparison, Difference, HeldAmount, SettledDay, Settlement } from '@headgate/store'
import { type Command, type CommandContext, dataDirOption, stringFlag, table, usageError } from './command.ts'
import { noteReleases } from './held.ts'
import { dollars, sixPlaces } from './money.ts'
import { withStore } from './store.ts'

/** Maximum size of a bill in bytes. */
const MOST = 256 * 1024 * 1024
/** Maximum number of held amounts that one bill settles. */
const MOST_HELD = 100_000

export const reconcile: Command = {
  name: 'reconcile',
  words: '<file>',
  summary: "compares a vendor's export of usage or costs with the ledger, by day and model",
  options: {
    settle: {
      type: 'boolean',
      help: 'settle amounts held for requests of unknown cost with the costs of the bill; recorded in the audit log',
    },
    provider: { type: 'string', value: 'name', help: 'provider that sent the bill, by its name in the configuration' },
    'data-dir': dataDirOption,
  },
  async run(context) {
    const [file, ...more] = context.words
    const provider = stringFlag(context, 'provider')
    if (!file || more.length > 0 || provider === undefined)
      throw usageError('reconcile takes one file and a provider: headgate reconcile usage.csv --provider <name>.')
    const { compareBill, rangeOf, readBill, settleByBill } = await import('@headgate/store')
    const bill = readBill(textOfFile(context, file))
    const range = rangeOf(bill)
    if (!range) throw usageError(`${file} has no lines that name a day and a model.`)
    const [days, held] = await withStore(context, async ({ usage, budgets }) => [
      await usage.daysByModel({ ...range, provider }),
      await budgets.held({ ...range, provider, limit: MOST_HELD }),
    ])
    const { lines, total, unpriced } = compareBill(bill, days)
    const rows = [...lines, { ...total, day: 'total', model: '' }].map(cells)
    const sides = ['INPUT', 'OUTPUT', 'DOLLARS'].flatMap((name) => [name, 'LEDGER', 'DIFFERENCE'])
    context.print(table(['DAY', 'MODEL', ...sides], rows))
    for (const remark of bill.remarks) context.note(`${remark}\n`)
    if (unpriced > 0) context.note(`${unpriced} calls of these days have no known price in the ledger.\n`)
    if (held.length > 0 && context.values['settle'] !== true)
      context.note(
        `Budgets hold $${dollars(sumOf(held))} for ${held.length} requests of unknown cost on these days. Settle them with --settle.\n`,
      )
    if (context.values['settle'] === true) await settle(context, settleByBill(bill, days, held))
    if (days.length === 0)
      context.note(`The ledger has no usage of a provider ${JSON.stringify(provider)} on these days.\n`)
  },
}

/** Charges held amounts as the bill does, and releases the rest. */
async function settle(context: CommandContext, days: readonly SettledDay[]): Promise<void> {
  const settlements = days.flatMap(({ settlements }) => settlements)
  const done = await withStore(context, async ({ budgets }) => {
    const released: Settlement[] = []
    for (const one of settlements)
      if (await budgets.releaseHeld({ id: one.amount.id, cost: one.cost })) released.push(one)
    return released
  })
  await noteReleases(
    context,
    done.map(({ amount, cost }) => ({ ...amount, cost })),
  )
  const [held, cost] = [sumOf(done.map(({ amount }) => amount)), done.reduce((sum, one) => sum + one.cost, 0n)]
  context.note(`Settled ${done.length} requests: charged $${dollars(cost)} of the $${dollars(held)} held for them.\n`)
}

function sumOf(amounts: readonly Pick<HeldAmount, 'held'>[]): bigint {
  return amounts.reduce((sum, { held }) => sum + held, 0n)
}

function textOfFile({ folder }: CommandContext, file: string): string {
  const path = resolve(folder, file)
  try {
    if (statSync(path).size > MOST) throw usageError(`${path} is longer than ${MOST} bytes. Export fewer days.`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    throw usageError(`${path} cannot be read: ${String(error.code)}`)
  }
}

function cells({ day, model, bill, ledger, differences }: BillComparison): string[] {
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
