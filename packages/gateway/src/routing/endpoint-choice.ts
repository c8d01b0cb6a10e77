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
  const organizations = new Map<string, Buffer>()
  const keys = new Map<string, Buffer>()
  return {
    ranking: createRanking(),
    affinity: createAffinity({ isShared: sharesCaches }),
    tenantKey({ id, owners: { organization } = {} }) {
      const [known, tenant] = organization === undefined ? [keys, id] : [organizations, organization]
      const key = known.get(tenant)
      if (key) return key
      if (known.size >= MOST_TENANTS) known.clear()
      const created = tenantKeyOf(hashSecret, organization === undefined ? `key ${id}` : `organization ${organization}`)
      known.set(tenant, created)
      return created
    },
  }
}
