import type { TranscriptionAbilities, TranscriptSegment, TranscriptWord } from '@headgate/core/provider'
import type { ErrorKind } from '@headgate/gateway'
import type { Received } from '../../upstream.ts'

/** Meaning of a request for a transcript. */
export interface TranscriptMeaning {
  readonly model: string
  /** Recording with its name and type, as far as the vendor receives them. */
  readonly file: {
    readonly bytes: Uint8Array
    readonly filename?: string | undefined
    readonly type?: string | undefined
  }
  readonly language?: string | undefined
  readonly prompt?: string | undefined
  readonly keywords?: readonly string[] | undefined
  readonly temperature?: number | undefined
  /** True if the request asks for speakers. */
  readonly speakers?: boolean | undefined
}

/** Transcript that the vendor returns. Times are in seconds. */
export interface TranscriptAnswer {
  readonly text: string
  /** ISO 639-1 code. */
  readonly language: string
  readonly seconds: number
  readonly segments: readonly TranscriptSegment[]
  readonly words: readonly TranscriptWord[]
  readonly request: TranscriptMeaning
}

/** Upstream with transcription. The defaults are OpenAI's wire. */
export interface TranscriptionFacts {
  /** Transcription model. */
  readonly model: string
  /**
   * Requests of one transcript in their order, as method and path: `['POST /v1/listen']`. The last one has the
   * transcript. Default: `POST /v1/audio/transcriptions`.
   */
  readonly requests?: readonly string[]
  /** Responses to all requests except the last. Default: none. */
  readonly replies?: readonly object[]
  /** Response to a poll before the transcript is ready. Absent if the vendor is not polled. */
  readonly pending?: object
  /** Capabilities of the model, from the vendor's documentation. */
  readonly can: TranscriptionAbilities
  /** Usage of the vendor. Default: `milliseconds`. With `nothing`, the length of the recording counts. */
  readonly counts?: 'milliseconds' | 'seconds' | 'nothing'
  /** Names and types of files, if the vendor receives them. Default: both. */
  readonly receives?: readonly ('filename' | 'type')[]
  /**
   * The vendor's interpretation of the requests of one transcript. Write it from the vendor's documentation, not from
   * the adapter.
   *
   * @throws for requests that the vendor would reject
   */
  read?(requests: readonly Received[]): TranscriptMeaning
  /** The vendor's response to the last of the requests. */
  write?(answer: TranscriptAnswer, requests: readonly Received[]): string | object
  /** Failures with status 200. */
  readonly failures?: readonly { readonly name: string; readonly body: object; readonly kind: ErrorKind }[]
  /** Error body for a status. Default: `{ error: { message } }`. */
  error?(status: number, message: string): object
}
