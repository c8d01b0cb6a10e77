import { randomBytes } from 'node:crypto'
import type { Principal } from '../ports/ledger.ts'
import type { RoutingOptions } from '../ports/routing.ts'
import { type Affinity, createAffinity, tenantKeyOf } from './affinity/index.ts'
import { createRanking, type Ranking } from './policies/rank.ts'

/** Maximum number of tenant keys in memory. */
const MOST_TENANTS = 10_000

/** State of the choice among endpoints, which all requests share. */
export interface EndpointChoice {
  readonly ranking: Ranking
  readonly affinity: Affinity
  /** Key for the hashes of a caller's organization, or of the key if it has none. */
  tenantKey(principal: Principal): Buffer
}

export function createChoice({ secret, sharesCaches }: RoutingOptions = {}): EndpointChoice {
  const hashSecret = secret ?? randomBytes(32)
  const keys = new Map<string, Buffer>()
  return {
    ranking: createRanking(),
    affinity: createAffinity({ isShared: sharesCaches }),
    tenantKey({ id, owners }) {
      const organization = owners?.organization
      const tenant = organization === undefined ? `key ${id}` : `organization ${organization}`
      const known = keys.get(tenant)
      if (known) return known
      if (keys.size >= MOST_TENANTS) keys.clear()
      const created = tenantKeyOf(hashSecret, tenant)
      keys.set(tenant, created)
      return created
    },
  }
}
