import { openCommandStore } from '../../src/command-store.ts'
import { hashApiKey } from '../../src/keys/api-key.ts'
import { openStore, type Store } from '../../src/store.ts'
import { ask, rowOf } from '../budgets/requests.ts'

/** Message of a program to the test that started it. */
export type VersionNews =
  /** A round of operations has ended. */
  | { readonly kind: 'round'; readonly round: number }
  /** The store was refused. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The program ends: rows that it wrote, and operations that failed. */
  | { readonly kind: 'end'; readonly rows: number; readonly problems: readonly string[] }

/** Requests in one round. */
const REQUESTS = 5

/**
 * Program of one version of the store. `traffic` creates and changes keys, writes rows under a budget, and reads rows,
 * sums and budgets, until it gets the order to stop. `check` compares all sums with the rows, rebuilds them, and compares
 * again.
 */
const [mode, name = '', dataDir = '', databaseUrl] = process.argv.slice(2)
const place = { dataDir, ...(databaseUrl && { databaseUrl }) }
const problems: string[] = []
const onProblem = (problem: string) => void problems.push(problem)
let rows = 0
let isStopped = false
process.once('message', () => {
  isStopped = true
})

try {
  if (mode === 'check') await checkStore()
  else await useStore()
  await tell({ kind: 'end', rows, problems })
} catch (error) {
  await tell({ kind: 'refused', message: error instanceof Error ? error.message : String(error) })
}
process.disconnect()

function tell(news: VersionNews): Promise<void> {
  return new Promise((resolve) => process.send?.(news, undefined, undefined, () => resolve()))
}

async function useStore(): Promise<void> {
  const store = await openStore({ ...place, onProblem })
  const budget = { scope: 'key', owner: 'key_1', limit: 10n ** 15n, period: 'forever', counts: 'cost' } as const
  if ((await store.budgets.list()).length === 0) await store.budgets.set(budget)
  for (let round = 1; !isStopped; round += 1) {
    await useOnce(store, round).catch((error: unknown) => onProblem(`round ${round}: ${String(error)}`))
    await tell({ kind: 'round', round })
  }
  await store.close()
}

async function useOnce(store: Store, round: number): Promise<void> {
  const { key, stored } = await store.keys.create({ name: `${name} ${round}` })
  if ((await store.keys.findByHash(hashApiKey(key)))?.id !== stored.id) onProblem('A new key was not found.')
  await store.keys.change(stored.id, { name: `${name} ${round}, changed` })
  await Promise.all(Array.from({ length: REQUESTS }, () => request(store)))
  await store.usage.page({ limit: 20 })
  await store.usage.series({ from: Date.now() - 3_600_000, to: Date.now(), by: 'model', step: 'hour' })
  await store.budgets.list()
  await store.keys.list()
}

async function request({ budgets, ledger }: Store): Promise<void> {
  const call = ask(100)
  const refusal = await budgets.reserve(call)
  if (refusal) return onProblem(`A request was refused: ${refusal.why}`)
  await ledger.settle(rowOf(call, 50))
  rows += 1
}

async function checkStore(): Promise<void> {
  const archive = await openCommandStore({ ...place, onProblem })
  await archive.ingest()
  for (const { message } of await archive.check()) onProblem(message)
  await archive.rebuild()
  for (const { message } of await archive.check()) onProblem(`After the rebuild: ${message}`)
  await archive.close()
}
