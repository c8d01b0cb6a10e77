import type { Json } from '@headgate/core/provider'
import type { Received } from '../../upstream.ts'

/** Topics that the simulated vendor finds in contents. */
export const TOPICS = ['hate', 'violence', 'self-harm', 'sexual'] as const

export type ModerationTopic = (typeof TOPICS)[number]

/** Content as the vendor read it. */
export interface ModerationContent {
  readonly text: string
  /** Images as `data:` URLs. */
  readonly images?: readonly string[]
}

/** Classification by the vendor. */
export interface ModerationsAnswer {
  /** Topics of each content, in the order of the contents; empty = harmless. */
  readonly results: readonly (readonly ModerationTopic[])[]
  readonly tokens: number
}

/** Upstream with moderations. The defaults are OpenAI's shape. */
export interface ModerationsFacts {
  /** Model that classifies. */
  readonly model: string
  /** Model of the provider that does not classify. Absent: all models do, or models are not named. */
  readonly otherModel?: string
  /** Path of requests, without the host; `{model}` is a placeholder for the model. */
  readonly path: string | readonly string[]
  /** True if contents can have images. */
  readonly images?: boolean
  /** Maximum number of contents in one request. Absent if no limit is known. */
  readonly most?: number
  /** Categories that callers get for a topic, with the names of OpenAI where it has one. Default: the topic. */
  readonly categories?: Readonly<Partial<Record<ModerationTopic, readonly string[]>>>
  /** True if the vendor reports tokens. */
  readonly countsTokens?: boolean
  /** Further responses with status 200 that have no classification. */
  readonly failures?: readonly { readonly name: string; readonly body: Json }[]
  /**
   * The vendor's interpretation of a request: its contents. Write it from the vendor's documentation, not from the
   * adapter.
   *
   * @throws for requests that the vendor would reject
   */
  read?(request: Received): readonly ModerationContent[]
  /** The vendor's response to `request`. */
  write?(answer: ModerationsAnswer, request: Received): Json
  /** Error body for a status. Default: `{ error: { message } }`. */
  error?(status: number, message: string): object
}
