import type { SpeechFormat } from '@headgate/core/provider'
import type { Received, UpstreamReply } from '../../upstream.ts'

/** Meaning of a speech request. */
export interface SpeechMeaning {
  readonly model: string
  readonly input: string
  readonly voice: string
  readonly format: SpeechFormat
  /** Absent: the normal speed. */
  readonly speed?: number | undefined
  readonly instructions?: string | undefined
}

/** Sound that the vendor answers with. */
export interface SpeechAnswer {
  /** Sound in the requested format, in the pieces in which the vendor makes it. */
  readonly pieces: readonly Uint8Array[]
  readonly format: SpeechFormat
  /** Number of characters that the vendor bills. It differs from the length of the text. */
  readonly characters: number
  readonly tokens: { readonly input: number; readonly output: number }
}

/** Upstream with speech. The defaults are OpenAI's shape, with the sound as the body. */
export interface SpeechFacts {
  /** Speech model. */
  readonly model: string
  /** Path of requests, without the host; `{model}` and `{voice}` are placeholders. */
  readonly path: string
  /** A voice of the model. */
  readonly voice: string
  /** The vendor's voice for OpenAI's `alloy`. Absent if the adapter does not map it. */
  readonly alloy?: string
  /** True if the vendor has no other voices, so that unknown ones are rejected. Default: false. */
  readonly isClosed?: boolean
  /** Formats that the vendor makes. */
  readonly formats: readonly SpeechFormat[]
  /** True if `wav` has 24 kHz, 16 bits, mono. Default: false. */
  readonly isWavPcm?: boolean
  /** Lowest and highest speed. Absent if the vendor has one speed. */
  readonly speed?: readonly [least: number, most: number]
  readonly instructions?: boolean
  /** Maximum length of the input in code points. Absent if no limit is known. */
  readonly maxCharacters?: number
  /** Unit of the vendor's usage. Default: it reports none. */
  readonly counts?: 'characters' | 'tokens'
  /**
   * The vendor's interpretation of a request. Write it from the vendor's documentation, not from the adapter.
   *
   * @throws for requests that the vendor would reject
   */
  read?(request: Received): SpeechMeaning
  /** The vendor's response to `request`. */
  write?(answer: SpeechAnswer, request: Received): UpstreamReply
  /** Error body for a status. Default: `{ error: { message } }`. */
  error?(status: number, message: string): object
}
