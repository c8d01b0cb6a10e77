import type { Json } from '@headgate/core/provider'
import type { AnswerMeaning, KitFormat, RequestMeaning } from '../meaning.ts'

/** Response of a vendor in its own format. */
export interface ScenarioResponse {
  readonly body: Json
  /** The response as server-sent events. */
  readonly stream: string
}

/**
 * A task of callers: one request in each format, and the response of each format's vendor.
 *
 * All of it is written for this kit from the vendors' documentation; none of it is recorded.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 * @see https://platform.claude.com/docs/en/api/messages
 * @see https://ai.google.dev/api/generate-content
 */
export interface Scenario {
  readonly name: string
  /** Bodies without model and stream. */
  readonly requests: Readonly<Record<KitFormat, Json>>
  /** Meaning that the vendor must read from each request. */
  readonly asked: RequestMeaning
  readonly answers: Readonly<Record<KitFormat, ScenarioResponse>>
  /** Meaning that the caller must read from each response. */
  readonly meaning: AnswerMeaning
}
