import { randomBytes } from 'node:crypto'
import type { Principal } from '../ports/ledger.ts'
import type { RoutingOptions } from '../ports/routing.ts'
import { type Affinity, createAffinity, tenantKeyOf } from './affinity/index.ts'
import { createRanking, type Ranking } from './policies/rank.ts'

/** State of the choice among endpoints, which all requests share. */
export interface EndpointChoice {
  readonly ranking: Ranking
  readonly affinity: Affinity
  /** Key for the hashes of a caller's organization, or of the key if it has none. */
  tenantKey(principal: Principal): Buffer
}

export function createChoice({ secret, sharesCaches }: RoutingOptions = {}): EndpointChoice {
  const hashSecret = secret ?? randomBytes(32)
  const keys = new WeakMap<Principal, Buffer>()
  return {
    ranking: createRanking(),
    affinity: createAffinity({ isShared: sharesCaches }),
    tenantKey(principal) {
      const known = keys.get(principal)
      if (known) return known
      const { id, owners: { organization } = {} } = principal
      const created = tenantKeyOf(hashSecret, organization === undefined ? `key ${id}` : `organization ${organization}`)
      keys.set(principal, created)
      return created
    },
  }
}
