import { isObject, type Json, number, objects, text } from '../canonical/json.ts'
import type { PerModel } from '../contract/chat.ts'
import type { FormPart, HttpResponse } from '../contract/http.ts'
import type { TranscriptSegment, TranscriptWord } from '../contract/transcript.ts'
import type {
  TranscriptionAbilities,
  TranscriptionRequest,
  TranscriptionResponse,
  TranscriptionSupport,
} from '../contract/transcription.ts'
import { HeadgateError } from '../errors.ts'

/** Differences between a server and OpenAI's transcriptions. */
export interface TranscriptionOptions {
  /** Path below the base URL; default `/audio/transcriptions`. */
  readonly path?: string | undefined
  /** Path of translations into English below the base URL; default: none. */
  readonly translations?: string | undefined
  /** Capabilities by model. Default: {@link WHISPER}. */
  readonly can?: PerModel<TranscriptionAbilities> | undefined
}

/** Capabilities of whisper behind OpenAI's wire. */
export const WHISPER: TranscriptionAbilities = {
  times: 'word',
  prompt: true,
  temperature: true,
  formats: ['json', 'text', 'srt', 'vtt', 'verbose_json'],
}

/**
 * Support for `POST /audio/transcriptions` in OpenAI's wire.
 * @example const provider = { baseUrl, credential, transcription: transcriptionSupport() }
 * @see https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export function transcriptionSupport(
  { path = '/audio/transcriptions', translations, can = WHISPER }: TranscriptionOptions = {},
  headers: Readonly<Record<string, string>> = {},
  base = '',
): TranscriptionSupport {
  const paths = {
    transcriptions: `${base}${path}`,
    translations: translations === undefined ? undefined : `${base}${translations}`,
  }
  return {
    native: paths,
    can,
    request(input, { model }) {
      const { times = 'none' } = (typeof can === 'function' ? can(model) : can) ?? {}
      const url = (input.translates ? paths.translations : undefined) ?? paths.transcriptions
      return { method: 'POST', url, headers, body: { form: formOf(input, times !== 'none') } }
    },
    response: readTranscript,
  }
}

/** Form of a request. With times, `verbose_json` also has the length, which is billed. */
function formOf(input: TranscriptionRequest, hasTimes: boolean): readonly FormPart[] {
  const { model, file, language, prompt, keywords, temperature, times } = input
  const format = input.speakers ? 'diarized_json' : hasTimes ? 'verbose_json' : 'json'
  const fields: readonly (readonly [name: string, value: string | undefined])[] = [
    ['model', model],
    ['response_format', format],
    ['language', language],
    ['prompt', prompt],
    ['temperature', temperature === undefined ? undefined : String(temperature)],
    ...keywords.map((word) => ['keywords[]', word] as const),
    ...(times === 'word' ? (['word', 'segment'] as const) : []).map(
      (one) => ['timestamp_granularities[]', one] as const,
    ),
  ]
  return [
    ...fields.flatMap(([name, value]): FormPart[] => (value === undefined ? [] : [{ name, value }])),
    { name: 'file', value: file.content, filename: file.name, type: file.type },
  ]
}

function readTranscript({ body }: HttpResponse): TranscriptionResponse {
  const answer: Json = isObject(body) ? body : {}
  const whole = text(answer['text'])
  if (whole === undefined)
    throw new HeadgateError('upstream', 'The provider returned no transcript: its response has no `text`.')
  return {
    text: whole,
    language: codeOf(text(answer['language'])),
    seconds: number(answer['duration']),
    segments: Array.isArray(answer['segments']) ? objects(answer['segments']).flatMap(segmentOf) : undefined,
    words: Array.isArray(answer['words']) ? objects(answer['words']).flatMap(wordOf) : undefined,
    usage: usageOf(answer),
  }
}

function segmentOf({ text: own, start, end, speaker }: Json): TranscriptSegment[] {
  const [from, to, content] = [number(start), number(end), text(own)]
  if (from === undefined || to === undefined || content === undefined) return []
  return [{ text: content.trim(), start: from, end: to, speaker: text(speaker) }]
}

function wordOf({ word, start, end }: Json): TranscriptWord[] {
  const [from, to, content] = [number(start), number(end), text(word)]
  return from === undefined || to === undefined || content === undefined
    ? []
    : [{ text: content.trim(), start: from, end: to }]
}

/** Tokens, or the length of the recording as the server reports it. */
function usageOf({ usage, duration }: Json): TranscriptionResponse['usage'] {
  const own = isObject(usage) ? usage : {}
  const [input, output] = [number(own['input_tokens']), number(own['output_tokens'])]
  if (input !== undefined && output !== undefined) return { input, output }
  const seconds = number(own['seconds']) ?? number(duration)
  return seconds === undefined
    ? undefined
    : { input: 0, output: 0, units: { milliseconds: Math.ceil(seconds * 1_000) } }
}

/** ISO 639-1 code of a language that whisper names in English; other values stay. */
function codeOf(name: string | undefined): string | undefined {
  return name === undefined ? undefined : (CODES.get(name) ?? name)
}

/** Languages of whisper by their English names. */
const CODES: ReadonlyMap<string, string> = new Map(
  'af ar hy az be bs bg ca zh hr cs da nl en et fi fr gl de el he hi hu is id it ja kn kk ko lv lt mk ms mr mi ne no fa pl pt ro ru sr sk sl es sw sv tl ta th tr uk ur vi cy'
    .split(' ')
    .flatMap((code) => {
      const name = new Intl.DisplayNames(['en'], { type: 'language' }).of(code)
      return name === undefined ? [] : [[name.toLowerCase(), code] as const]
    }),
)
