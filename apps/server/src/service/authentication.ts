import { HeadgateError, type Principal } from '@headgate/gateway'
import { isRestricted, rightsOf } from '@headgate/gateway/ports'
import {
  CONFIG_PROJECT,
  type ConfiguredPrincipal,
  DEFAULT_ENVIRONMENT,
  DEFAULT_ORGANISATION,
  hashApiKey,
  isStorable,
  type Keys,
  typoOf,
} from '@headgate/store'
import type { KeyConfig } from '../config/schema.ts'

/** Longer than any key that can be configured. */
const LONGEST = 512

/**
 * Who holds a key, stored or configured; undefined for one that is unknown, malformed, expired or revoked. At once, but
 * for a stored key that is seen for the first time. Where the key may be used from is for whoever asks to check
 * (`checkAddress`).
 *
 * @throws HeadgateError `bad-key` for one that has a typo; another one where the store would have to know and can not
 * be read.
 */
export type Authentication = (credential: string) => ReturnType<Keys['holder']>

export function createAuthentication(configured: readonly KeyConfig[], stored: Pick<Keys, 'holder'>): Authentication {
  const byHash = new Map(configured.map((key) => [hashApiKey(key.key), principalOf(key)]))

  return (credential) => {
    if (credential === '' || credential.length > LONGEST) return undefined
    const hash = hashApiKey(credential)
    // How long a look for a hash takes tells nothing of the keys.
    const known = byHash.get(hash)
    if (known) return known
    if (isStorable(credential)) return stored.holder(hash)
    const typo = typoOf(credential)
    if (typo !== undefined) throw new HeadgateError('bad-key', `${typo} Copy it again from where it is kept.`)
    return undefined
  }
}

/** Id of the organisation to which the keys of the configuration belong. */
export const ORGANISATION = DEFAULT_ORGANISATION

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

/** One that is not restricted is the operator's own. */
function principalOf(key: KeyConfig): Principal {
  const { name, environment = DEFAULT_ENVIRONMENT, project = CONFIG_PROJECT, limits } = key
  return {
    id: configuredKeyId(key.key),
    ...(name && { name }),
    ...(!isRestricted(key) && EVERYTHING),
    ...rightsOf(key),
    environment,
    owners: { project, organisation: ORGANISATION },
    ...(limits && { limits }),
  }
}

/** Who the keys of the configuration are, for sums of usage. */
export function configuredPrincipals(configured: readonly KeyConfig[]): readonly ConfiguredPrincipal[] {
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
