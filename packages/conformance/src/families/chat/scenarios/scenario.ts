import type { Json } from '@headgate/core/provider'
import type { AnswerMeaning, FormatId, RequestMeaning } from '../meaning.ts'

/** An answer of a vendor in its own format. */
export interface VendorAnswer {
  readonly body: Json
  /** The same answer as server-sent events. */
  readonly stream: string
}

/**
 * Something that callers do: the same request in each format, and what a vendor of each format answers.
 *
 * All of it is written for this kit from the vendors' documentation, none of it is recorded.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 * @see https://platform.claude.com/docs/en/api/messages
 * @see https://ai.google.dev/api/generate-content
 */
export interface Scenario {
  readonly name: string
  /** Bodies without model and stream. */
  readonly requests: Readonly<Record<FormatId, Json>>
  /** What the vendor must understand of each of them. */
  readonly asked: RequestMeaning
  readonly answers: Readonly<Record<FormatId, VendorAnswer>>
  /** What the caller must understand of each of the answers. */
  readonly meaning: AnswerMeaning
}
