import { isObject, type Json, number, objects, text } from '../canonical/json.ts'
import { forModel, type PerModel } from '../contract/chat.ts'
import type { FormPart, HttpResponse } from '../contract/http.ts'
import { timedText, timeUsage } from '../contract/transcript.ts'
import type {
  TranscriptionAbilities,
  TranscriptionRequest,
  TranscriptionResponse,
  TranscriptionSupport,
} from '../contract/transcription.ts'
import { HeadgateError } from '../errors.ts'

/** Differences between a server and OpenAI's transcriptions. */
export interface TranscriptionOptions {
  /** Path below the base URL, or an absolute URL, by model. Default: `/audio/transcriptions`. */
  readonly path?: PerModel<string> | undefined
  /** Path of translations into English. Default: none. */
  readonly translations?: PerModel<string> | undefined
  /** True if `diarize` asks for speakers, and not the format `diarized_json`. Default: false. */
  readonly diarize?: boolean | undefined
  /** Capabilities by model. Default: {@link WHISPER}. */
  readonly can?: PerModel<TranscriptionAbilities> | undefined
}

/**
 * Capabilities of whisper behind OpenAI's wire. Text and subtitles are rendered from `verbose_json`, since they have no
 * usage.
 */
export const WHISPER: TranscriptionAbilities = {
  times: 'word',
  prompt: true,
  temperature: true,
  formats: ['json', 'verbose_json'],
}

/**
 * Capabilities of OpenAI's models by their names. Models with other names have no times.
 * @example const support = transcriptionSupport({ can: transcriptionAbilities })
 * @see https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export function transcriptionAbilities(model: string): TranscriptionAbilities {
  const common = { maxBytes: 25_000_000, prompt: true, temperature: true } as const
  if (model.includes('whisper')) return { ...WHISPER, ...common, translates: true }
  if (model.includes('diarize'))
    return { ...common, times: 'segment', speakers: true, stream: true, formats: ['json', 'diarized_json'] }
  if (model.startsWith('gpt-transcribe')) return { ...common, keywords: true, stream: true, formats: ['json'] }
  return { ...common, stream: true, formats: ['json'] }
}

/**
 * Support for `POST /audio/transcriptions` in OpenAI's wire.
 * @example const provider = { baseUrl, credential, transcription: transcriptionSupport() }
 * @see https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export function transcriptionSupport(
  options: TranscriptionOptions = {},
  headers: Readonly<Record<string, string>> = {},
  urlOf: (model: string, path: string) => string = (_, path) => path,
): TranscriptionSupport {
  const { path = '/audio/transcriptions', translations, can = WHISPER } = options
  const absolute =
    (given: PerModel<string>) =>
    (model: string): string => {
      const own = typeof given === 'function' ? given(model) : given
      return own.startsWith('https:') ? own : urlOf(model, own)
    }
  const transcribes = absolute(path)
  const translates = translations === undefined ? undefined : absolute(translations)
  return {
    native: { transcriptions: transcribes, translations: translates, headers },
    can,
    request(input, { model }) {
      const { times = 'none' } = forModel(can, model) ?? WHISPER
      const url = ((input.translates && translates) || transcribes)(model)
      return { method: 'POST', url, headers, body: { form: formOf(input, times !== 'none', options) } }
    },
    response: readTranscript,
  }
}

/** Form of a request. With times, `verbose_json` also has the length, which is billed. */
function formOf(
  input: TranscriptionRequest,
  hasTimes: boolean,
  { diarize = false }: TranscriptionOptions,
): readonly FormPart[] {
  const { model, file, language, prompt, keywords, temperature, times } = input
  const format = input.speakers && !diarize ? 'diarized_json' : hasTimes ? 'verbose_json' : 'json'
  const fields: readonly (readonly [name: string, value: string | undefined])[] = [
    ['model', model],
    ['response_format', format],
    ['diarize', input.speakers && diarize ? 'true' : undefined],
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
    segments: listOf(answer['speaker_segments'] ?? answer['segments'])?.flatMap(
      ({ text: own, start, end, speaker, speaker_id }) => timedText(own, start, end, speaker ?? speaker_id),
    ),
    words: listOf(answer['words'])?.flatMap(({ word, start, end }) => timedText(word, start, end)),
    usage: usageOf(answer),
  }
}

function listOf(value: unknown): readonly Json[] | undefined {
  return Array.isArray(value) ? objects(value) : undefined
}

/** Tokens, or the length of the recording as the server reports it. */
function usageOf({ usage, duration }: Json): TranscriptionResponse['usage'] {
  const own = isObject(usage) ? usage : {}
  const [input, output] = [number(own['input_tokens']), number(own['output_tokens'])]
  if (input !== undefined && output !== undefined) return { input, output }
  return timeUsage(number(own['seconds']) ?? number(duration))
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
