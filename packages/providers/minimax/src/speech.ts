import {
  isObject,
  number,
  object,
  type SpeechPart,
  type SpeechRequest,
  type SpeechSupport,
  text,
} from '@headgate/core/provider'
import { NAMES } from './speech-models.ts'

/**
 * Speech, as a stream of events with sound in hex; wav cannot be streamed. The last event repeats the whole sound
 * unless it is excluded.
 * @see https://platform.minimax.io/docs/api-reference/speech-t2a-http
 */
export const speech: SpeechSupport = {
  can: { voiceNames: NAMES, formats: ['mp3', 'flac', 'wav', 'pcm'], speed: [0.5, 2], maxCharacters: 10_000 },
  request: (input) => ({ method: 'POST', url: '/v1/t2a_v2', body: { json: bodyOf(input) } }),
  part: readPart,
  hasEnd: true,
}

function bodyOf({ model, input, voice, format, speed }: SpeechRequest): object {
  const isStream = format !== 'wav'
  return {
    model,
    text: input,
    stream: isStream,
    ...(isStream && { stream_options: { exclude_aggregated_audio: true } }),
    output_format: 'hex',
    voice_setting: { voice_id: voice, ...(speed !== undefined && { speed }) },
    audio_setting: { format, sample_rate: 24_000, channel: 1 },
  }
}

/** Part of a stream, whose last event has the status 2, or a whole response. */
function readPart(data: unknown, { format }: SpeechRequest): SpeechPart {
  if (!isObject(data)) return {}
  const own = object(data['data'])
  const isLast = own?.['status'] === 2
  const hex = isLast && format !== 'wav' ? undefined : text(own?.['audio'])
  const characters = number(object(data['extra_info'])?.['usage_characters'])
  return {
    bytes: hex === undefined ? undefined : Buffer.from(hex, 'hex'),
    isLast,
    usage: characters === undefined ? undefined : { input: 0, output: 0, units: { characters } },
  }
}
