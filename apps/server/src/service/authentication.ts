import type { Principal } from '@headgate/core'
import { hashApiKey, isStorable, type Keys } from '@headgate/store'
import { type KeyConfig, SCOPES } from '../config/schema.ts'

/** Longer than any key that can be configured. */
const LONGEST = 512

/**
 * Who holds a key, stored or configured; undefined for one that is unknown, malformed, expired or revoked. At once, but for a stored
 * key that is seen for the first time. It throws a HeadgateError where the store would have to know and can not be read.
 */
export type Authentication = (credential: string) => ReturnType<Keys['holder']>

export function createAuthentication(configured: readonly KeyConfig[], stored: Pick<Keys, 'holder'>): Authentication {
  const byHash = new Map(configured.map((key) => [hashApiKey(key.key), withOrganisation(principalOf(key))]))

  return (credential) => {
    if (credential === '' || credential.length > LONGEST) return undefined
    const hash = hashApiKey(credential)
    // How long a look for a hash takes tells nothing of the keys.
    const known = byHash.get(hash)
    if (known || !isStorable(credential)) return known
    const holder = stored.holder(hash)
    return holder instanceof Promise ? holder.then(memberOf) : memberOf(holder)
  }
}

/** Id of the one organisation, to which all keys belong. */
export const ORGANISATION = 'default'

/** Shared by all that have nobody else whose budgets hold for them. */
const OWNERS: NonNullable<Principal['owners']> = { organisation: ORGANISATION }

function memberOf(holder: Principal | undefined): Principal | undefined {
  return holder && withOrganisation(holder)
}

function withOrganisation(principal: Principal): Principal {
  return { ...principal, owners: principal.owners ? { ...OWNERS, ...principal.owners } : OWNERS }
}

/** What the keys of the operator may do: everything, each thing named. */
export const EVERYTHING: Pick<Principal, 'models' | 'search' | 'scopes'> = { models: ['*'], search: ['*'], scopes: SCOPES }

/** The id that a configured key has by its hash, so that its usage stays its own when the list is ordered anew. */
export function configuredKeyId(key: string): string {
  return `configured_${hashApiKey(key).slice(0, 8)}`
}

/** One that is not restricted is the operator's own. */
function principalOf({ key, name, models, search, scopes, project, limits }: KeyConfig): Principal {
  const id = configuredKeyId(key)
  const isRestricted = models !== undefined || search !== undefined || scopes !== undefined
  const may = isRestricted ? { ...(models && { models }), ...(search && { search }), ...(scopes && { scopes }) } : EVERYTHING
  return { id, ...(name && { name }), ...may, ...(project && { owners: { project } }), ...(limits && { limits }) }
}

/** Whether a caller may read what all callers use and spend. */
export function mayReadMetrics({ scopes }: Principal): boolean {
  return scopes?.includes('metrics') ?? false
}
