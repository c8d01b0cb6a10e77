import type { Environment, ProviderState } from '@headgate/discovery'
import {
  type CredentialSealer,
  type CredentialValues,
  createCredentialSealer,
  type SealedCredential,
  type Secret,
} from '@headgate/store'
import type { Settings } from '../config/settings.ts'
import type { Inventory } from '../service/inventory.ts'
import { allowedHosts, guardedOrigins, hostsOf } from './hosts.ts'
import { createWith } from './instance.ts'
import { sourceOf } from './source.ts'

export interface StoredCredentialsParts {
  readonly environment: Environment
  readonly secret: Secret
  readonly store: { list(): Promise<readonly SealedCredential[]> }
  /** Inventory of other settings. */
  take(settings: Settings): Promise<Inventory>
  onProblem(message: string): void
}

/** Credentials that owners have entered, as part of the inventory. */
export interface StoredCredentials {
  /** Inventory with all stored credentials that can be used. A problem with one is reported and leaves it out. */
  join(settings: Settings, inventory: Inventory): Promise<Inventory>
  /** True if the inventory has another state of the credentials than the store. */
  isStale(inventory: Inventory): Promise<boolean>
}

const WHY = 'its credential was entered on the dashboard'

interface UsableCredential {
  readonly provider: string
  readonly values: CredentialValues
  readonly hosts: readonly string[]
}

export function createStoredCredentials(parts: StoredCredentialsParts): StoredCredentials {
  const { store, secret, take, onProblem } = parts
  const sealer = createCredentialSealer(secret)
  return {
    async join(settings, inventory) {
      const rows = await store.list()
      const version = versionOf(rows)
      const found = await Promise.all(rows.map((row) => usableOf(row, { ...parts, sealer, settings, inventory })))
      const usable = found.flatMap((one) => one ?? [])
      const none = { ...inventory, credentials: { version, used: [], publicOrigins: [] } }
      if (usable.length === 0) return none
      try {
        return joined(await take(withValues(settings, usable)), { settings, usable, version })
      } catch (error) {
        onProblem(`Stored credentials are not used: ${error instanceof Error ? error.message : String(error)}`)
        return none
      }
    },
    isStale: async ({ credentials }) => versionOf(await store.list()) !== (credentials?.version ?? versionOf([])),
  }
}

function versionOf(rows: readonly SealedCredential[]): string {
  return rows.map(({ provider, version, createdAt }) => `${provider} ${version} ${createdAt}`).join('\n')
}

interface UsableParts extends StoredCredentialsParts {
  readonly sealer: CredentialSealer
  readonly settings: Settings
  readonly inventory: Inventory
}

/**
 * Values of a stored credential; undefined, with a report, if it cannot be used. A credential goes to the hosts that it
 * was entered for, and to no others: not if the file now has another base URL.
 */
async function usableOf(
  row: SealedCredential,
  { sealer, settings, inventory, environment, onProblem }: UsableParts,
): Promise<UsableCredential | undefined> {
  const leave = (why: string): undefined => {
    onProblem(`The stored credential of ${row.provider} is not used: ${why}.`)
  }
  const state = inventory.providers.find(({ name }) => name === row.provider)
  if (!state || state.adapter.id !== row.adapter) return leave(`its adapter ${row.adapter} is not installed`)
  const source = sourceOf(state, settings, environment)
  if (source.owner !== 'free') return leave(`the ${placeOf(source.owner)} sets another one`)
  const values = sealer.open(row)
  if (!values) return leave('HEADGATE_SECRET is another one, or it was changed. Enter it again')
  try {
    const hosts = hostsOf(await createWith(state, source, values, environment))
    if (hosts.join() !== row.hosts.join()) return leave('the hosts of the provider have changed. Enter it again')
    return { provider: row.provider, values, hosts }
  } catch (error) {
    return leave(error instanceof Error ? error.message : String(error))
  }
}

function placeOf(owner: 'file' | 'environment'): string {
  return owner === 'file' ? 'configuration file' : owner
}

function withValues(settings: Settings, usable: readonly UsableCredential[]): Settings {
  const { providers = {} } = settings.config
  const entered = usable.map(({ provider, values }) => [provider, Object.assign({}, providers[provider], values)])
  return { ...settings, config: { ...settings.config, providers: { ...providers, ...Object.fromEntries(entered) } } }
}

interface JoinedCredentials {
  readonly settings: Settings
  readonly usable: readonly UsableCredential[]
  readonly version: string
}

function joined(inventory: Inventory, { settings, usable, version }: JoinedCredentials): Inventory {
  const used = usable.map(({ provider }) => provider)
  const allowed = allowedHosts(settings)
  const explain = (state: ProviderState): ProviderState => (used.includes(state.name) ? { ...state, why: WHY } : state)
  const publicOrigins = [...new Set(usable.flatMap(({ hosts }) => guardedOrigins(hosts, allowed)))]
  return {
    ...inventory,
    providers: inventory.providers.map(explain),
    credentials: { version, used, publicOrigins },
  }
}
