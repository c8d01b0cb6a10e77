import { HeadgateError, isRestricted, type KeyRights, type Principal, rightsOf } from '@headgate/gateway/ports'
import { hashApiKey, isStorable, typoOf } from './api-key.ts'
import { CONFIG_PROJECT, DEFAULT_ENVIRONMENT, DEFAULT_ORGANIZATION } from './owners.ts'
import type { ConfiguredPrincipal } from './principals.ts'

/** A key that a configuration holds. One without restrictions may do everything except manage. */
export interface ConfiguredKey extends KeyRights, Partial<Pick<Principal, 'name' | 'environment' | 'limits'>> {
  readonly key: string
  readonly project?: string
}

type Holder = (hash: string) => Principal | undefined | Promise<Principal | undefined>

/** Longer than any key that can be configured. */
const LONGEST = 512

/**
 * The principal of a key; undefined for a key that is unknown, malformed, expired or revoked. Synchronous, except for a
 * stored key that is seen for the first time. The gateway checks the caller's address (`checkAddress`).
 *
 * @throws HeadgateError `bad-key` for a key with a typo; another kind if the store cannot be read.
 */
export type Authentication = (credential: string) => ReturnType<Holder>

/** Authenticates the keys of a store, and those of a configuration: the option `authenticate` of `createGateway`. */
export function authenticate(
  { keys }: { readonly keys: { readonly holder: Holder } },
  configured: readonly ConfiguredKey[] = [],
): Authentication {
  const byHash = new Map(configured.map((key) => [hashApiKey(key.key), principalOf(key)]))

  return (credential) => {
    if (credential === '' || credential.length > LONGEST) return undefined
    const hash = hashApiKey(credential)
    // How long a look for a hash takes tells nothing of the keys.
    const known = byHash.get(hash)
    if (known) return known
    if (isStorable(credential)) return keys.holder(hash)
    const typo = typoOf(credential)
    if (typo !== undefined) throw new HeadgateError('bad-key', `${typo} Copy it again from where it is kept.`)
    return undefined
  }
}

/** What the keys of the operator may do: everything, each thing named, but manage: that has to be said. */
export const EVERYTHING: Pick<Principal, 'models' | 'search' | 'scopes'> = {
  models: ['*'],
  search: ['*'],
  scopes: ['metrics'],
}

/** The id that a configured key has by its hash, so that its usage stays its own when the list is ordered anew. */
export function configuredKeyId(key: string): string {
  return `configured_${hashApiKey(key).slice(0, 8)}`
}

/** Principal of a configured key. One without restrictions is the operator's own. */
function principalOf(key: ConfiguredKey): Principal {
  const { name, environment = DEFAULT_ENVIRONMENT, project = CONFIG_PROJECT, limits } = key
  return {
    id: configuredKeyId(key.key),
    ...(name && { name }),
    ...(!isRestricted(key) && EVERYTHING),
    ...rightsOf(key),
    environment,
    owners: { project, organization: DEFAULT_ORGANIZATION },
    ...(limits && { limits }),
  }
}

/** Owners of configured keys, for sums of usage. */
export function configuredPrincipals(configured: readonly ConfiguredKey[]): readonly ConfiguredPrincipal[] {
  return configured.map(({ key, name, project, environment }) => ({
    id: configuredKeyId(key),
    name,
    project,
    environment,
  }))
}

/** Whether a caller may read what all callers use and spend. */
export function mayReadMetrics({ scopes }: Principal): boolean {
  return scopes?.includes('metrics') ?? false
}
