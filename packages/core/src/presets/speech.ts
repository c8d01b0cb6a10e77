import type { PerModel } from '../contract/chat.ts'
import { forModel } from '../contract/chat.ts'
import type { SpeechAbilities, SpeechRequest, SpeechSupport } from '../contract/speech.ts'
import { readSpeechEvent } from '../contract/speech-event.ts'

/** Differences between a server and OpenAI's speech. */
export interface SpeechOptions {
  /** Path below the base URL; default `/audio/speech`. */
  readonly path?: string | undefined
  /** Capabilities by model. Default: {@link SPEAKER}. */
  readonly can?: PerModel<SpeechAbilities> | undefined
  /** Server's names of formats, if they differ: `{ pcm: 'raw' }`. Requests are then rewritten. */
  readonly formatNames?: Readonly<Record<string, string>> | undefined
  /** Fields of every request, such as `{ stream: false }`. Requests are then rewritten. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined
}

/** Capabilities of a server with all of OpenAI's formats. */
export const SPEAKER: SpeechAbilities = {
  formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
  speed: [0.25, 4],
  instructions: true,
}

/**
 * Support for `POST /audio/speech` in OpenAI's wire.
 * @param path function of the model, for servers with a path for each model; default: the `path` of the options
 * @example const provider = { baseUrl, credential, speech: speechSupport() }
 * @see https://platform.openai.com/docs/api-reference/audio/createSpeech
 */
export function speechSupport(
  { path = '/audio/speech', can = SPEAKER, formatNames, fields }: SpeechOptions = {},
  headers: Readonly<Record<string, string>> = {},
  urlOf: (model: string, path: string) => string = (_, below) => below,
): SpeechSupport {
  const abilitiesOf = (model: string): SpeechAbilities => forModel<SpeechAbilities>(can, model) ?? SPEAKER
  return {
    ...(!formatNames && !fields && { native: (model: string) => urlOf(model, path) }),
    can,
    request: (input) => ({
      method: 'POST',
      url: urlOf(input.model, path),
      headers,
      body: { json: bodyOf(input, abilitiesOf(input.model), { formatNames, fields }) },
    }),
    part: readSpeechEvent,
    hasEnd: true,
  }
}

function bodyOf(
  { model, input, voice, isVoiceId, format, speed, instructions }: SpeechRequest,
  { sse }: SpeechAbilities,
  { formatNames = {}, fields }: Pick<SpeechOptions, 'formatNames' | 'fields'>,
): object {
  return {
    model,
    input,
    voice: isVoiceId ? { id: voice } : voice,
    response_format: formatNames[format] ?? format,
    ...(speed !== undefined && { speed }),
    ...(instructions !== undefined && { instructions }),
    ...(sse && { stream_format: 'sse' }),
    ...fields,
  }
}
