import type { Usage } from '../canonical/usage.ts'
import type { PerModel } from './chat.ts'
import type { Call } from './exchange.ts'
import type { HttpRequest, HttpResponse } from './http.ts'

/** Formats of speech. `pcm` is 24 kHz, 16 bits, little endian, mono, without a header. `opus` is in Ogg. */
export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const

/** Format of speech. */
export type SpeechFormat = (typeof SPEECH_FORMATS)[number]

/** Request for speech. Values that the model does not support were already rejected or declared as lost. */
export interface SpeechRequest {
  /** The provider's id of the model. */
  readonly model: string
  readonly input: string
  /** The provider's name of the voice. */
  readonly voice: string
  /** True if the caller named the voice by an id: `{ "id": "voice_123" }`. */
  readonly isVoiceId?: boolean | undefined
  readonly format: SpeechFormat
  /** Factor of the normal speed. */
  readonly speed?: number | undefined
  /** Description of the manner of speaking. */
  readonly instructions?: string | undefined
}

/** Sound, or a part of it, within a response that is not sound itself. */
export interface SpeechPart {
  readonly bytes?: Uint8Array | undefined
  /** Usage of the whole request. The last value counts. */
  readonly usage?: Usage | undefined
  /** True for the last part of a stream. */
  readonly isLast?: boolean | undefined
}

/** Capabilities of a model. Absent = not supported, unless stated otherwise. */
export interface SpeechAbilities {
  /** Voices of the model. Absent: every name is accepted, such as ids of own voices. */
  readonly voices?: readonly string[] | undefined
  /** The provider's voices by OpenAI's names, such as `alloy`. The configuration can add names. */
  readonly voiceNames?: Readonly<Record<string, string>> | undefined
  /** Formats that the provider makes. */
  readonly formats: readonly SpeechFormat[]
  /** Sample rate of `wav` in Hz, if it is 16 bits, mono. With 24,000, callers also get `pcm`. Absent: unknown. */
  readonly wavRate?: number | undefined
  /** Lowest and highest speed. */
  readonly speed?: readonly [least: number, most: number] | undefined
  readonly instructions?: boolean | undefined
  /** Maximum length of the input in code points. Absent: no limit is known. */
  readonly maxCharacters?: number | undefined
  /**
   * True if the native path supports `stream_format: sse`, whose last event has the usage. It is then used for all
   * callers, since binary responses have no usage.
   */
  readonly sse?: boolean | undefined
  /**
   * Maximum tokens of sound per code point at normal speed. Absent: the model's maximum output limits the worst-case
   * cost.
   */
  readonly tokensPerCharacter?: number | undefined
}

/**
 * Support for speech. The body of a response is the sound, and is sent on as it comes, unless it is JSON or a stream of
 * server-sent events, which `part` reads.
 */
export interface SpeechSupport {
  /** Path with OpenAI's wire. Requests and responses pass unchanged. */
  readonly native?: PerModel<string | undefined> | undefined
  readonly can: PerModel<SpeechAbilities>
  /** Request of the method POST. */
  request(input: SpeechRequest, call: Call): HttpRequest
  /**
   * Sound of a JSON response: of the whole body, or of the data of each server-sent event.
   * @throws HeadgateError for an error within a successful response
   */
  part?(data: unknown, input: SpeechRequest): SpeechPart
  /** True if the last event of a stream is a part with `isLast`; a stream without it broke off. Default: false. */
  readonly hasEnd?: boolean | undefined
  /** Usage that the headers of a response report. */
  usageOf?(response: Pick<HttpResponse, 'headers'>, input: SpeechRequest): Usage | undefined
}
