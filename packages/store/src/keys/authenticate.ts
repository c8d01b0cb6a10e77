import { HeadgateError, isRestricted, type KeyRights, type Principal, rightsOf } from '@headgate/gateway/ports'
import { hashApiKey, isStorable, typoOf } from './api-key.ts'
import { CONFIG_PROJECT, DEFAULT_ENVIRONMENT, DEFAULT_ORGANIZATION } from './owners.ts'
import type { ConfiguredPrincipal } from './principals.ts'

/** Key in a configuration. Without restrictions it allows everything except management. */
export interface ConfiguredKey extends KeyRights, Partial<Pick<Principal, 'name' | 'environment' | 'limits'>> {
  readonly key: string
  readonly project?: string
}

type KeyFinder = (hash: string) => Principal | undefined | Promise<Principal | undefined>

/** Maximum length of a configured key. */
const LONGEST = 512

/**
 * Principal of a key; undefined if the key is unknown, malformed, expired or revoked. Synchronous, except for a stored
 * key that is seen for the first time. The gateway checks the caller's address (`checkAddress`).
 * @throws HeadgateError `bad-key` for a key with a typo; another kind if the store cannot be read
 */
export type Authentication = (credential: string) => ReturnType<KeyFinder>

/** Authenticates stored and configured keys: the option `authenticate` of `createGateway`. */
export function authenticate(
  { keys }: { readonly keys: { readonly findByHash: KeyFinder } },
  configured: readonly ConfiguredKey[] = [],
): Authentication {
  const byHash = new Map(configured.map((key) => [hashApiKey(key.key), principalOf(key)]))

  return (credential) => {
    if (credential === '' || credential.length > LONGEST) return undefined
    const hash = hashApiKey(credential)
    // The duration of a lookup by hash reveals nothing about keys.
    const known = byHash.get(hash)
    if (known) return known
    if (isStorable(credential)) return keys.findByHash(hash)
    const typo = typoOf(credential)
    if (typo !== undefined) throw new HeadgateError('bad-key', `${typo} Copy the key again from its source.`)
    return undefined
  }
}

/** Rights of the operator's keys: everything except `admin`, which must be granted explicitly. */
export const EVERYTHING: Pick<Principal, 'models' | 'search' | 'scopes'> = {
  models: ['*'],
  search: ['*'],
  scopes: ['metrics'],
}

/** Id of a configured key, derived from its hash, so that its usage does not depend on the order of the list. */
export function configuredKeyId(key: string): string {
  return `configured_${hashApiKey(key).slice(0, 8)}`
}

/** Principal of a configured key. A key without restrictions is the operator's. */
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

/** True if a caller may read the usage and spending of all callers. */
export function mayReadMetrics({ scopes }: Principal): boolean {
  return scopes?.includes('metrics') ?? false
}
