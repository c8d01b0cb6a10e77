import type { CredentialDesk, CredentialState, PreparedCredential } from '@headgate/accounts'
import { checkAddresses, type Environment, PROVIDERS, type ProviderState } from '@headgate/discovery'
import { HeadgateError, type ProviderInstance } from '@headgate/gateway'
import { checkProvider } from '@headgate/gateway/operate'
import { type CredentialValues, createCredentialSealer, type SealedCredential, type Secret } from '@headgate/store'
import type { Settings } from '../config/settings.ts'
import type { Inventory } from '../service/inventory.ts'
import { allowedHosts, checkHosts, guardedOrigins, hostsOf } from './hosts.ts'
import { createWith } from './instance.ts'
import { BASE_URL, type CredentialSource, sourceOf } from './source.ts'

export interface DeskParts {
  readonly environment: Environment
  readonly store: { list(): Promise<readonly SealedCredential[]> }
  serving(): { readonly settings: Settings; readonly inventory: Inventory }
  secret(): Secret
}

/** Credentials of the gateway's providers for the management API. */
export function createCredentialDesk({ environment, store, serving, secret }: DeskParts): CredentialDesk {
  const find = (name: string): ProviderState => {
    const found = serving().inventory.providers.find((one) => one.name === name)
    if (found) return found
    throw new HeadgateError('not-found', 'There is no such provider.')
  }
  return {
    async states() {
      const { settings, inventory } = serving()
      const stored = new Set((await store.list()).map(({ provider }) => provider))
      const used = inventory.credentials?.used ?? []
      return inventory.providers.map(({ name, adapter }): Omit<CredentialState, 'stored'> => {
        const { owner, variables, fields } = sourceOf({ name, adapter }, settings, environment)
        const source = owner !== 'free' ? owner : stored.has(name) ? 'stored' : 'none'
        return { provider: name, adapter: adapter.id, source, variables, fields, isUsed: used.includes(name) }
      })
    },
    async prepare(provider, values): Promise<PreparedCredential> {
      const { settings } = serving()
      const state = find(provider)
      const source = sourceOf(state, settings, environment)
      checkFields(state, source, values)
      const instance = await createWith(state, source, values, environment)
      const hosts = hostsOf(instance)
      const allowed = allowedHosts(settings)
      await checkHosts(hosts, allowed)
      const entry = PROVIDERS.entry(instance, provider, {})
      checkAddresses(settings, { providers: [{ ...state, entry }], backends: [] }, environment)
      const isTested = await test(instance, provider, guardedOrigins(hosts, allowed))
      const baseUrl = values[BASE_URL]
      const place = { provider, adapter: state.adapter.id, hosts, ...(baseUrl !== undefined && { baseUrl }) }
      const sealed = createCredentialSealer(secret()).seal(values, place)
      return { ...place, sealed, fields: Object.keys(values).sort(), isTested }
    },
  }
}

/** @throws HeadgateError if another source has the credential, or for fields that cannot be entered. */
function checkFields(
  { name }: ProviderState,
  { owner, variables, fields }: CredentialSource,
  values: CredentialValues,
) {
  if (owner === 'file')
    throw new HeadgateError('conflict', `The credential of ${name} is set in the configuration file. Change it there.`)
  if (owner === 'environment') {
    const where = variables.join(', ')
    throw new HeadgateError(
      'conflict',
      `The credential of ${name} is set in the environment (${where}). Change it there.`,
    )
  }
  const known = new Map(fields.map((field) => [field.name, field]))
  for (const field of Object.keys(values)) {
    if (known.has(field)) continue
    const message = 'This field does not exist, or the configuration sets it.'
    throw new HeadgateError('invalid-request', message, { param: `values.${field.slice(0, 100)}` })
  }
  if (!Object.keys(values).some((field) => known.get(field)?.isSecret))
    throw new HeadgateError('invalid-request', 'A credential requires a secret, such as an API key.', {
      param: 'values',
    })
}

/** Errors of a provider that has accepted the credential. */
const ACCEPTED: readonly string[] = ['rate-limited', 'our-quota']

/**
 * Calls the model list of a provider. Resolves with false if it has none.
 * @throws HeadgateError if it rejects the credential or cannot be reached. Its own message may quote the credential.
 */
async function test(instance: ProviderInstance, name: string, publicOrigins: readonly string[]): Promise<boolean> {
  const check = await checkProvider(instance, { publicOrigins })
  if (!check) return false
  const { error, status } = check
  if (!error || ACCEPTED.includes(error.kind)) return true
  if (error.kind === 'our-credential')
    throw new HeadgateError('invalid-request', `${name} rejected the credential (${status ?? 'no status'}).`, {
      param: 'values',
    })
  if (status !== undefined && status < 500 && error.kind !== 'internal') return false
  const why = status === undefined ? 'cannot be reached' : `failed (${status})`
  throw new HeadgateError('upstream', `${name} ${why}, so the credential could not be tested. Nothing was stored.`, {
    status: 502,
  })
}
