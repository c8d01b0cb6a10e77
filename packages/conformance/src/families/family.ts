import type { HttpRequest } from '@headgate/core/provider'
import type { ProviderInstance } from '@headgate/gateway'
import type { Check } from '../checks/check.ts'
import type { ProviderFacts } from '../facts.ts'
import type { TestScope } from '../scope.ts'
import type { MakeGateway } from '../served.ts'

/** Requests of one member of a provider. */
export interface Asks {
  /** Name in messages, for example `embeddings.request`. */
  readonly member: string
  /** A request, or only its URL. Undefined if the provider lacks the member. */
  make(): HttpRequest | string | undefined
}

/** Checks of one family, exported by its folder. */
export interface FamilyKit {
  /** Name of the family, and of the provider member that serves it. */
  readonly id: string
  /** Fact that only providers of the family need. If absent, the checks report missing facts themselves. */
  readonly fact?: {
    /** Name in messages. */
    readonly name: string
    isGiven(facts: ProviderFacts<unknown>): boolean
    /** Tells if a provider serves the family. */
    has(provider: ProviderInstance): boolean
  }
  /** Checks of a provider with these facts, in order. */
  checks(facts: ProviderFacts<unknown>, scope: TestScope): readonly Check[]
  /** Requests of a provider for the family. Only the provider's own hosts can receive the credential. */
  asks?(provider: ProviderInstance, facts: ProviderFacts<unknown>): readonly Asks[]
}

/** Families beyond core's, and the gateway that serves them. */
export interface MoreFamilies {
  readonly families: readonly FamilyKit[]
  /** Gateway with core's families and these. */
  readonly createGateway: MakeGateway
}
