import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BudgetPeriod } from '@headgate/gateway/ports'
import { openCommandStore } from '@headgate/store'
import { startVictim, type Victim } from '../kills/program.ts'

/** How many processes share a store, and how: workers of one program, or programs of their own. */
export interface Shape {
  readonly name: string
  readonly nodes: number
  readonly workers: number
  /** Default: SQLite, of one node. */
  readonly databaseUrl?: string
  /** The program as it ships, whatever is tested. */
  readonly built?: boolean
  /** Fields of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>
  readonly environment?: Readonly<Record<string, string>>
}

/** Gateways of one store. */
export interface Deployment {
  /** Of the nodes that serve now. */
  urls(): readonly string[]
  /** Creates a key that can spend so many nano-dollars in a period; default `forever`. */
  createKey(limit: bigint, period?: BudgetPeriod): Promise<{ readonly id: string; readonly key: string }>
  /**
   * `kill -9` of a node, or of one of its workers where `nth` says which; of a whole node resolves when it serves
   * again.
   */
  kill(node: number, worker?: number): Promise<void>
  /** Ends all in order. */
  stop(): Promise<void>
  /** Where each node has its journal, and the store. */
  readonly places: readonly { readonly dataDir: string; readonly databaseUrl?: string }[]
  remove(): Promise<void>
}

const PRICED = { exact: { input: 0, output: 100 }, input: { input: 10, output: 100 }, whole: { input: 0, output: 30 } }
/** Of all their models the output is known, as that of the one that they are. */
const IS = 'gpt-4.1'

function configOf(origin: string): object {
  const names = Object.keys(PRICED)
  const models = Object.fromEntries(names.map((name) => [name, { upstream: name, is: IS }]))
  return {
    keys: ['sk-local-of-nobody'],
    providers: {
      openai: { apiKey: 'key-of-the-provider', baseUrl: `${origin}/v1`, models },
    },
    prices: Object.fromEntries(Object.entries(PRICED).map(([name, price]) => [`openai/${name}`, price])),
  }
}

/** What an upstream charges for a call: nano-dollars. */
export function costOf(
  model: keyof typeof PRICED,
  { input, output }: { readonly input: number; readonly output: number },
): bigint {
  const price = PRICED[model]
  return BigInt(input * price.input + output * price.output) * 1_000n
}

export type Model = keyof typeof PRICED

export async function deploy(
  { nodes, workers, databaseUrl, built = false, config, ...given }: Shape,
  origin: string,
): Promise<Deployment> {
  const folders = Array.from({ length: nodes }, () => mkdtempSync(join(tmpdir(), 'headgate-')))
  for (const folder of folders)
    writeFileSync(join(folder, 'headgate.config.json'), JSON.stringify(Object.assign(configOf(origin), config)))
  const shared =
    databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl, HEADGATE_SECRET: randomBytes(32).toString('hex') }
  const environment = Object.assign(shared, given.environment)
  const start = (folder: string): Promise<Victim> => startVictim({ folder, workers, built, environment })
  const places = folders.map((folder) => ({
    dataDir: join(folder, '.headgate'),
    ...(databaseUrl !== undefined && { databaseUrl }),
  }))
  const victims: Victim[] = []
  // One after the other: the first makes the store.
  for (const folder of folders) victims.push(await start(folder))
  return {
    places,
    urls: () => victims.map(({ url }) => url),
    async createKey(limit, period = 'forever') {
      const archive = await openCommandStore({ ...(places[0] as { dataDir: string }), onProblem: () => {} })
      try {
        const { key, stored } = await archive.keys.create({ name: 'spender', budgets: [{ limit, period }] })
        return { id: stored.id, key }
      } finally {
        await archive.close()
      }
    },
    async kill(node, worker) {
      const victim = victims[node]
      if (!victim) throw new TypeError(`There is no node ${node}.`)
      const processes = worker === undefined ? [] : victim.workers()
      const one = processes[(worker ?? 0) % Math.max(1, processes.length)]
      if (one !== undefined) return void process.kill(one, 'SIGKILL')
      await victim.kill()
      victims[node] = await start(folders[node] as string)
    },
    stop: async () => {
      await Promise.all(victims.map((victim) => victim.stop()))
    },
    async remove() {
      await Promise.all(victims.map((victim) => victim.kill()))
      for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
