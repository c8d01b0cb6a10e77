import { authenticate as authenticateBy } from '../packages/store/src/index.ts'
import { createApiKey } from '../packages/store/src/keys/api-key.ts'
import { createKeyLookup } from '../packages/store/src/keys/key-lookup.ts'
import { startHeadgate } from './headgate.ts'
import { compare } from './rounds.ts'
import { scenarios } from './scenarios.ts'
import { root, withStarted } from './started.ts'

/** Maximum CPU time that accounts add to a request on the main thread, in microseconds. */
const MOST = 3
/** Maximum CPU time to check a known key, in microseconds. */
const MOST_OF_CHECK = 5
const KEYS = 1_000
const CHECKS = 200_000

/**
 * Measures the CPU time that accounts add to a model request, compared with a gateway without accounts: `pnpm bench
 * accounts [scenario ...]`. Exits with 1 if it exceeds the maximum.
 */
export async function benchAccounts(names: readonly string[]): Promise<void> {
  const check = await checkTime()
  process.stdout.write(`check of a known key: ${check.toFixed(2)} µs\n`)
  if (!(check <= MOST_OF_CHECK)) process.exitCode = 1
  await withStarted(async ({ origin, start }) => {
    const without = await start(startHeadgate(root, origin, { config: { accounts: false } }))
    const own = await start(startHeadgate(root, origin))
    const chosen = scenarios.filter(({ name }) =>
      names.length === 0 ? name.includes('unary, 1 KB') : names.some((part) => name.includes(part)),
    )
    for (const scenario of chosen) {
      const [bare, full] = await compare(scenario, [
        { name: 'without', process: without, shot: scenario.headgate },
        { name: 'accounts', process: own, shot: scenario.headgate },
      ])
      const added = (full?.main ?? Number.NaN) - (bare?.main ?? Number.NaN)
      process.stdout.write(`${scenario.name}: accounts add ${added.toFixed(1)} µs on the main thread\n`)
      if (!(added <= MOST)) process.exitCode = 1
    }
  })
}

/** CPU time to check one of many stored keys, in microseconds. */
async function checkTime(): Promise<number> {
  const facts = { project: 'prj_default', environment: 'production', models: ['gpt-*'], createdAt: 0, version: 1 }
  const { findByHash } = createKeyLookup({
    lookUp: async (hash) => ({ facts: { ...facts, id: `key_${hash}` }, organization: 'org_default' }),
  })
  const authenticate = authenticateBy({ keys: { findByHash } })
  const keys = Array.from({ length: KEYS }, () => createApiKey('production'))
  for (const key of keys) await authenticate(key)
  const begun = process.cpuUsage()
  for (let count = 0; count < CHECKS; count += 1) {
    const found = authenticate(keys[count % KEYS] ?? '')
    if (found === undefined || found instanceof Promise) throw new Error('A known key is not recognized immediately.')
  }
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / CHECKS
}
