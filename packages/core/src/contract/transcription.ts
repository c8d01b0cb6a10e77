import type { Usage } from '../canonical/usage.ts'
import type { PerModel } from './chat.ts'
import type { Exchange } from './exchange.ts'
import type { MediaFile } from './media-file.ts'
import type { Transcript } from './transcript.ts'

/** Finest times of a transcript. */
export type TranscriptTimes = 'none' | 'segment' | 'word'

/** Request for a transcript. Fields that the model does not support were already rejected or declared as lost. */
export interface TranscriptionRequest {
  /** The provider's id of the model. */
  readonly model: string
  readonly file: MediaFile
  /** Length of the recording as its content shows; absent = unknown. */
  readonly milliseconds?: number | undefined
  /** ISO 639-1 code of the spoken language; absent = detect it. */
  readonly language?: string | undefined
  /** Text before the recording, for spelling and style. */
  readonly prompt?: string | undefined
  /** Words that are likely to occur. */
  readonly keywords: readonly string[]
  readonly temperature?: number | undefined
  /** Times that the response needs. */
  readonly times: TranscriptTimes
  /** True if segments need their speaker. */
  readonly speakers: boolean
  /** True for a translation into English. */
  readonly translates: boolean
}

/** Transcript, and what it was billed by. */
export interface TranscriptionResponse extends Transcript {
  /** The model as the upstream names it. */
  readonly model?: string | undefined
  /** Absent if the upstream reports none. `units.milliseconds` if it bills time, rounded up. */
  readonly usage?: Usage | undefined
}

/** Names of units by feature. */
export interface TranscriptSurcharges {
  readonly keywords?: string | undefined
  readonly speakers?: string | undefined
}

/** Capabilities of a model. Absent = not supported, unless stated otherwise. */
export interface TranscriptionAbilities {
  readonly times?: TranscriptTimes | undefined
  readonly speakers?: boolean | undefined
  readonly translates?: boolean | undefined
  readonly prompt?: boolean | undefined
  readonly keywords?: boolean | undefined
  readonly temperature?: boolean | undefined
  /** Maximum size of a file in bytes; absent = no limit. */
  readonly maxBytes?: number | undefined
  /** Maximum length of a recording in milliseconds; absent = no limit. */
  readonly maxMs?: number | undefined
  /** Values of `response_format` that the native path supports. Default: none. */
  readonly formats?: readonly string[] | undefined
  /** True if the native path streams with OpenAI's events. */
  readonly stream?: boolean | undefined
  /**
   * Units that a feature is billed by in addition, if a request uses it. Each counts the milliseconds of the recording:
   * `{ keywords: 'keywordMilliseconds' }`.
   */
  readonly surcharges?: TranscriptSurcharges | undefined
}

/** Support for transcription. */
export type TranscriptionSupport = Exchange<TranscriptionRequest, TranscriptionResponse> & {
  /** Paths with OpenAI's wire. Forms with a supported `response_format` pass unchanged. */
  readonly native?:
    | {
        readonly transcriptions: PerModel<string>
        readonly translations?: PerModel<string> | undefined
        readonly headers?: Readonly<Record<string, string>> | undefined
      }
    | undefined
  readonly can?: PerModel<TranscriptionAbilities> | undefined
}
