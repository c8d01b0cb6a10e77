import type { EnvironmentSource } from '@headgate/core/provider'
import type { ProviderInstance } from '@headgate/gateway'
import type { ChatUpstreamFacts, FormatFacts } from './families/chat/facts.ts'
import type { EmbeddingsFacts } from './families/embeddings/facts.ts'
import type { RerankFacts } from './families/rerank/facts.ts'
import type { VideoFacts } from './families/video/facts.ts'
import type { UpstreamPlace } from './place.ts'

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

/**
 * Facts of a provider, of its upstream above all. They are what its vendor documents: the kit holds the adapter to
 * them.
 */
export interface ProviderFacts<Config> {
  /** A config that is complete. The kit puts its own upstream in the place of the base URL's host. */
  readonly config: Config
  /** A model that takes images and PDFs and calls tools; absent for a provider without chat. */
  readonly model?: string
  /** Absent for a provider that runs in this process. */
  readonly upstream?: UpstreamFacts
  /**
   * Formats of core that it speaks besides, and where; the rest of `upstream` holds of them too, but for what is said
   * again.
   */
  readonly also?: readonly (Pick<FormatFacts, 'format' | 'path'> & Partial<FormatFacts>)[]
  /** Absent for a provider without embeddings. */
  readonly embeddings?: EmbeddingsFacts
  /** Absent for a provider that puts no documents in order. */
  readonly rerank?: RerankFacts
  /** Absent for a provider without videos. */
  readonly video?: VideoFacts
}

/** An upstream without chat has no `path`. */
export type UpstreamFacts =
  | ChatUpstreamFacts
  | (UpstreamPlace & { readonly path?: undefined; readonly format?: undefined })
