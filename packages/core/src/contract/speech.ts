import type { Usage } from '../canonical/usage.ts'
import type { PerModel } from './chat.ts'
import type { Call } from './exchange.ts'
import type { HttpRequest, HttpResponse } from './http.ts'

/** Formats of speech. `pcm` is 24 kHz, 16 bits, little endian, mono, without a header. */
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
  readonly format: SpeechFormat
  /** Factor of the normal speed. */
  readonly speed?: number | undefined
  /** How to speak, in words. */
  readonly instructions?: string | undefined
}

/** Sound, or a part of it, within a response that is not sound itself. */
export interface SpeechPart {
  readonly bytes?: Uint8Array | undefined
  /** Usage of the whole request. The last value counts. */
  readonly usage?: Usage | undefined
}

/** Capabilities of a model. Absent = not supported, unless stated otherwise. */
export interface SpeechAbilities {
  /** Voices of the model. Absent: every name is accepted, such as ids of own voices. */
  readonly voices?: readonly string[] | undefined
  /** The provider's voices by OpenAI's names, such as `alloy`. The configuration can add names. */
  readonly voiceNames?: Readonly<Record<string, string>> | undefined
  /** Formats that the provider makes. */
  readonly formats: readonly SpeechFormat[]
  /** Lowest and highest speed. */
  readonly speed?: readonly [least: number, most: number] | undefined
  readonly instructions?: boolean | undefined
  /** Maximum length of a text in code points. Absent: no limit is known. */
  readonly maxCharacters?: number | undefined
}

/** Support for speech. The body of a response is the sound, and is sent on as it comes, unless `part` reads it. */
export interface SpeechSupport {
  /** Path with OpenAI's wire. Requests and responses pass unchanged. */
  readonly native?: PerModel<string | undefined> | undefined
  readonly can: PerModel<SpeechAbilities>
  request(input: SpeechRequest, call: Call): HttpRequest
  /** Sound of a JSON response: of the whole body, or of the data of each server-sent event. */
  part?(data: unknown, input: SpeechRequest): SpeechPart
  /** Usage that the headers of a response report. */
  usageOf?(response: Pick<HttpResponse, 'headers'>, input: SpeechRequest): Usage | undefined
}
