import type { KeyRights, RateLimit } from '@headgate/gateway/ports'
import type { StoredRates } from '@headgate/store/sql'
import type { Declaration } from './declaration.ts'
import type { ManagementClient } from './management-client.ts'

/** Objects of the management API, with the fields that a declaration sets. */
export interface ManagedProject {
  readonly id: string
  readonly name: string
  readonly archivedAt?: number
  readonly sharesResponses: boolean
  readonly version: number
}

export interface ManagedKey extends KeyRights {
  readonly id: string
  readonly name?: string
  /** Id of the project. */
  readonly project: string
  readonly environment: string
  readonly prefix: string
  readonly service?: true
  readonly limits?: RateLimit
  readonly expiresAt?: number
  readonly revokedAt?: number
  readonly version: number
}

export interface ManagedBudget {
  readonly id: string
  readonly scope: 'key' | 'project' | 'member' | 'organization'
  readonly owner: string
  readonly name: string
  /** Nano-dollars. */
  readonly limit: string
  readonly period: string
  readonly zone: string
  readonly soft: boolean
  readonly counts: string
  readonly source: 'store' | 'config'
  readonly version: number
}

export interface ManagedMember {
  readonly person: string
  readonly email?: string
  readonly role: string
  readonly version: number
}

export interface ManagedInvite {
  readonly id: string
  readonly email?: string
  readonly role: string
}

export interface ManagedPrice {
  readonly provider: string
  readonly model: string
  readonly source: 'store' | 'config'
  readonly validFrom: number
  readonly rates: StoredRates | null
}

/** Objects of the gateway that a declaration may refer to. Other lists are empty. */
export interface ManagedState {
  readonly organization: string
  readonly projects: readonly ManagedProject[]
  /** Keys that are not revoked. */
  readonly keys: readonly ManagedKey[]
  /** Budgets that are not from the configuration file. */
  readonly budgets: readonly ManagedBudget[]
  readonly members: readonly ManagedMember[]
  readonly invites: readonly ManagedInvite[]
  /** Prices that are not from the configuration file. */
  readonly prices: readonly ManagedPrice[]
}

export async function readState(
  { projects, keys, budgets, members, prices }: Declaration,
  client: ManagementClient,
): Promise<ManagedState> {
  const listIf = <Item>(isNeeded: boolean, path: string): Promise<readonly Item[]> =>
    isNeeded ? client.list<Item>(path) : Promise.resolve([])
  const hasPeople = members !== undefined || budgets !== undefined
  const [organization, foundProjects, foundKeys, foundBudgets, people, invites, foundPrices] = await Promise.all([
    client.request<{ id: string }>('/organization'),
    listIf<ManagedProject>(projects !== undefined || keys !== undefined || budgets !== undefined, '/projects'),
    listIf<ManagedKey>(keys !== undefined || budgets !== undefined, '/keys'),
    listIf<ManagedBudget>(budgets !== undefined, '/budgets'),
    listIf<ManagedMember>(hasPeople, '/members'),
    listIf<ManagedInvite>(members !== undefined, '/invites'),
    listIf<ManagedPrice>(prices !== undefined, '/prices'),
  ])
  return {
    organization: organization.id,
    projects: foundProjects,
    keys: foundKeys.filter(({ revokedAt }) => revokedAt === undefined),
    budgets: foundBudgets.filter(({ source }) => source === 'store'),
    members: people,
    invites,
    prices: foundPrices.filter(({ source }) => source === 'store'),
  }
}
