import type { HttpRequest } from '@headgate/core/provider'
import type { ProviderInstance } from '@headgate/gateway'
import type { Check } from '../checks/check.ts'
import type { Extent } from '../extent.ts'
import type { ProviderFacts } from '../facts.ts'
import type { MakeGateway } from '../served.ts'

/** What a member of a provider asks. */
export interface Asks {
  /** As messages name it: `embeddings.request`. */
  readonly member: string
  /** A request, or only where it goes; undefined = the provider has no such member. */
  make(): HttpRequest | string | undefined
}

/** How the kit checks one family: its folder exports it. */
export interface FamilyKit {
  /** Name of the family, and the member of a provider that serves it. */
  readonly id: string
  /**
   * The fact that a provider of the family needs, and no other has; absent = the checks themselves say where facts are
   * missing.
   */
  readonly fact?: {
    /** As messages name it. */
    readonly name: string
    isGiven(facts: ProviderFacts<unknown>): boolean
    /** Whether a provider serves the family. */
    has(provider: ProviderInstance): boolean
  }
  /** What is checked of a provider with these facts, in this order. */
  checks(facts: ProviderFacts<unknown>, extent: Extent): readonly Check[]
  /** What the provider asks for the family: no other host than its own may get the credential. */
  asks?(provider: ProviderInstance, facts: ProviderFacts<unknown>): readonly Asks[]
}

/** Families that core does not have, and what serves them. */
export interface MoreFamilies {
  readonly families: readonly FamilyKit[]
  /** A gateway of core's families and these. */
  readonly createGateway: MakeGateway
}
