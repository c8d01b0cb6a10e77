import type { EnvironmentSource } from '@headgate/core/provider'
import type { ProviderInstance } from '@headgate/gateway'
import type { ChatUpstreamFacts, FormatFacts } from './families/chat/facts.ts'
import type { EmbeddingsFacts } from './families/embeddings/facts.ts'
import type { ImagesFacts } from './families/images/facts.ts'
import type { ModerationsFacts } from './families/moderations/facts.ts'
import type { RerankFacts } from './families/rerank/facts.ts'
import type { SpeechFacts } from './families/speech/facts.ts'
import type { TranscriptionFacts } from './families/transcription/facts.ts'
import type { VideoFacts } from './families/video/facts.ts'
import type { UpstreamPlace } from './place.ts'

/** The parts of an adapter that the kit uses. Any `ProviderAdapter` has them. */
export interface Adapter<Config, Instance = ProviderInstance> extends Described {
  (config: Config): Instance
}

/** An adapter's description of itself. */
export interface Described {
  readonly id: string
  readonly title: string
  readonly kind: string
  readonly contract: number
  readonly config: { safeParse(value: unknown): { success: boolean } }
  readonly env: Readonly<Record<string, readonly EnvironmentSource[] | undefined>>
}

/**
 * Facts about a provider and its upstream, from the vendor's documentation. The kit checks the adapter against them.
 */
export interface ProviderFacts<Config> {
  /** Complete config. The kit replaces the base URL's host with its own upstream. */
  readonly config: Config
  /** A model that accepts images and PDFs and calls tools. Absent for a provider without chat. */
  readonly model?: string
  /** Absent for a provider that runs in-process. */
  readonly upstream?: UpstreamFacts
  /**
   * Further formats of core that the provider supports, and their paths. All other fields of `upstream` apply unless
   * they are given again.
   */
  readonly also?: readonly (Pick<FormatFacts, 'format' | 'path'> & Partial<FormatFacts>)[]
  /** Absent for a provider without embeddings. */
  readonly embeddings?: EmbeddingsFacts
  /** Absent for a provider without reranking. */
  readonly rerank?: RerankFacts
  /** Absent for a provider without moderations. */
  readonly moderations?: ModerationsFacts
  /** Absent for a provider without transcription. */
  readonly transcription?: TranscriptionFacts
  /** Absent for a provider without images. */
  readonly images?: ImagesFacts
  /** Absent for a provider without speech. */
  readonly speech?: SpeechFacts
  /** Absent for a provider without video. */
  readonly video?: VideoFacts
}

/** An upstream without chat has no `path`. */
export type UpstreamFacts =
  | ChatUpstreamFacts
  | (UpstreamPlace & { readonly path?: undefined; readonly format?: undefined })
