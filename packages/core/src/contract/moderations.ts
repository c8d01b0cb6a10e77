import type { Usage } from '../canonical/usage.ts'
import type { PerModel } from './chat.ts'
import type { Exchange, InProcess } from './exchange.ts'

/** Part of the content to classify. */
export type ModerationPart =
  | { readonly type: 'text'; readonly text: string }
  /** `https://…`, or a data URL. */
  | { readonly type: 'image'; readonly url: string }

/** Request to classify contents. */
export interface ModerationsRequest {
  readonly model: string
  /** Contents, each with one or more parts: at least one, at most `batch`. Each gets a result. */
  readonly inputs: readonly (readonly ModerationPart[])[]
}

/** Classification of one content. */
export interface ModerationResult {
  /** True if the upstream flags the content. Default: true if any category applies. */
  readonly flagged?: boolean | undefined
  /** True for each category that applies; null = the model does not classify it. */
  readonly categories: Readonly<Record<string, boolean | null>>
  /** Probability or severity of each category, from 0 to 1. */
  readonly scores: Readonly<Record<string, number>>
}

/** Response with classifications. */
export interface ModerationsResponse {
  /** Results in the order of the inputs. */
  readonly results: readonly ModerationResult[]
  /** The model as the upstream names it. */
  readonly model?: string | undefined
  /** Absent if the upstream reports none. */
  readonly usage?: Usage | undefined
}

/** Support for moderations: HTTP exchanges, or a function in this process. */
export type ModerationsSupport = (
  | Exchange<ModerationsRequest, ModerationsResponse>
  | InProcess<ModerationsRequest, Promise<ModerationsResponse>>
) & {
  /** Path with OpenAI's wire. Requests and responses pass unchanged. */
  readonly native?: PerModel<string | undefined> | undefined
  /** Headers of requests at the native path, except the credential. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** True for models that classify. Requests for others are rejected. Default: true. */
  serves?(model: string): boolean
  /** True if contents can have images. Default: false, so that these requests are rejected. */
  readonly images?: PerModel<boolean> | undefined
  /** Maximum contents of one call. More contents take several calls. Default: no limit. */
  readonly batch?: number | undefined
  /**
   * Maximum tokens that a model bills for each content besides the content itself: its instructions, and its output.
   * Default: 64 and 256.
   */
  readonly tokens?: PerModel<{ readonly input: number; readonly output: number }> | undefined
}
