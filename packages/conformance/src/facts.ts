import type { ProviderInstance } from '@headgate/core'
import type { EnvironmentSource } from '@headgate/core/provider'
import type { FormatId } from './families/chat/meaning.ts'

/** What the kit needs of an adapter: any `ProviderAdapter` is one. */
export interface Adapter<Config, Instance = ProviderInstance> extends Described {
  (config: Config): Instance
}

/** What an adapter says of itself. */
export interface Described {
  readonly id: string
  readonly title: string
  readonly kind: string
  readonly contract: number
  readonly config: { safeParse(value: unknown): { success: boolean } }
  readonly env: Readonly<Record<string, readonly EnvironmentSource[] | undefined>>
}

/** Facts of a provider, of its upstream above all. They are what its vendor documents: the kit holds the adapter to them. */
export interface ProviderFacts<Config> {
  /** A config that is complete. The kit puts its own upstream in the place of the base URL's host. */
  readonly config: Config
  /** A model that takes images and PDFs and calls tools. */
  readonly model: string
  /** Absent for a provider that runs in this process. */
  readonly upstream?: UpstreamFacts
}

export interface UpstreamFacts {
  /** The format that it speaks. */
  readonly format: FormatId
  /** Where it takes requests, without the host; `{model}` stands for the model. A stream may have another path, with its query. */
  readonly path: string | { readonly whole: string; readonly stream: string }
  /** How it knows who asks; undefined = it does not ask. */
  readonly credential?: CredentialFacts
  /** Headers that it wants on every request, with their values. */
  readonly headers?: Readonly<Record<string, string>>
  /** Headers of a caller that it understands, so that they go up. */
  readonly forward?: readonly string[]
  /** Top-level fields of a request that it answers with a 400. */
  readonly refuses?: readonly string[]
  /** Whether a stream reports usage; default true. */
  readonly usageInStream?: boolean
  /** Path of its list of models, without the host; absent = it has none. */
  readonly models?: string
}

/** Where the credential stands, and what stands there: `Bearer test-key`. */
export type CredentialFacts = { readonly header: string; readonly value: string } | { readonly query: string; readonly value: string }

/** The secret of a credential: without its scheme. */
export function secretOf({ credential }: { readonly credential?: CredentialFacts }): string | undefined {
  return credential?.value.replace(/^\S+\s+/, '')
}
