import { changed, isObject, type Loss, number, objects, type Usage } from '@headgate/core/canonical'
import type {
  Call,
  HttpRequest,
  HttpResponse,
  MediaFile,
  TranscriptionAbilities,
  TranscriptionRequest,
  TranscriptionResponse,
  TranscriptionSupport,
} from '@headgate/core/contract'
import { HeadgateError, invalid } from '@headgate/core/errors'
import type { Candidate } from '../../routing/candidates.ts'
import { lossCollector } from '../../serve/losses.ts'
import type { CallResult, SupportCall } from '../../serve/upstream-caller.ts'
import { formWith } from '../../uploads/rewritten-form.ts'
import type { Upload } from '../../uploads/upload.ts'
import { isJson, type TranscriptionInput } from './wire.ts'

/** Request for a transcript with its file. */
export interface TranscriptionCall {
  readonly upload: Upload
  readonly input: TranscriptionInput
  readonly file: MediaFile
  /** Length of the recording as its content shows; undefined = unknown. */
  readonly milliseconds: number | undefined
  readonly translates: boolean
}

/** Complete response in the caller's wire. */
export interface NativeTranscription extends CallResult {
  readonly bytes: Uint8Array
  readonly type: string
}

interface CommonPlan {
  readonly candidate: Candidate
  readonly losses: readonly Loss[]
  /** Units of features that are billed in addition; each counts the milliseconds of the recording. */
  readonly surcharges: readonly string[]
}

/** Plan for the caller's own form. */
export interface NativeTranscriptionPlan extends CommonPlan {
  readonly way: 'native'
  readonly request: HttpRequest
  read(answer: HttpResponse): NativeTranscription
}

/** Plan of a candidate. */
export type TranscriptionPlan =
  | NativeTranscriptionPlan
  | (CommonPlan & { readonly way: 'exchange' } & SupportCall<TranscriptionRequest, TranscriptionResponse>)

/** Fields of whisper's segments. Other providers do not report them, so they have placeholders. */
const WHISPER_FIELDS = ['seek', 'tokens', 'temperature', 'avg_logprob', 'compression_ratio', 'no_speech_prob']

/** Plans a candidate. @throws HeadgateError if it cannot serve the request. */
export function planFor(asked: TranscriptionCall, candidate: Candidate): TranscriptionPlan {
  const { instance, endpoint, model, facts } = candidate
  const support = endpoint.provider.transcription
  if (!support) throw invalid('model', `Provider ${instance.name} does not support transcription.`)
  const can = (typeof support.can === 'function' ? support.can(model) : support.can) ?? {}
  checkAbilities(asked, can, model)
  const paths = asked.translates ? support.native?.translations : support.native?.transcriptions
  const path = typeof paths === 'function' ? paths(model) : paths
  if (path !== undefined && isNative(asked, can))
    return nativePlan(asked, candidate, { url: path, headers: support.native?.headers ?? {} }, surchargesOf(asked, can))
  return exchangePlan(asked, candidate, support, can, { model, facts })
}

/** True if the model supports all fields of the caller's form that the gateway knows. */
function isNative({ input }: TranscriptionCall, can: TranscriptionAbilities): boolean {
  const { format, isStream, keywords, prompt, temperature } = input
  if (!can.formats?.includes(format) || (isStream && !can.stream)) return false
  if (keywords.length > 0 && !can.keywords) return false
  return (prompt === undefined || can.prompt === true) && (temperature === undefined || can.temperature === true)
}

/** @throws HeadgateError for what the model cannot do */
function checkAbilities(
  { input: { format, times }, file, milliseconds, translates }: TranscriptionCall,
  can: TranscriptionAbilities,
  model: string,
): void {
  const { maxBytes = Number.POSITIVE_INFINITY, maxMs = Number.POSITIVE_INFINITY } = can
  if (translates && !can.translates) throw invalid('model', `The model ${model} does not translate.`)
  if (file.content.size > maxBytes)
    throw invalid('file', `The file has ${file.content.size} bytes, and the model ${model} accepts ${maxBytes}.`)
  if (milliseconds !== undefined && milliseconds > maxMs)
    throw invalid('file', `The recording has ${milliseconds} ms, and the model ${model} accepts ${maxMs} ms.`)
  if (can.formats?.includes(format)) return
  const { times: finest = 'none' } = can
  if (times !== 'none' && (finest === 'none' || (times === 'word' && finest === 'segment')))
    throw invalid(
      'response_format',
      `The model ${model} reports no times of ${times === 'word' ? 'words' : 'segments'}, which ${format} requires. Choose json or text, or another model.`,
    )
  if (format === 'diarized_json' && !can.speakers)
    throw invalid('response_format', `The model ${model} does not tell speakers apart. Choose another model.`)
}

/** Units of the features that a request uses. */
function surchargesOf(
  { input: { keywords, format } }: TranscriptionCall,
  { surcharges = {} }: TranscriptionAbilities,
): readonly string[] {
  const used = [keywords.length > 0 && surcharges.keywords, format === 'diarized_json' && surcharges.speakers]
  return used.filter((unit) => typeof unit === 'string')
}

/** Usage with the units of surcharges. */
export function withSurcharges(usage: Usage | undefined, surcharges: readonly string[]): Usage | undefined {
  const milliseconds = usage?.units?.['milliseconds']
  if (!usage || milliseconds === undefined || surcharges.length === 0) return usage
  return { ...usage, units: { ...usage.units, ...Object.fromEntries(surcharges.map((unit) => [unit, milliseconds])) } }
}

function exchangePlan(
  asked: TranscriptionCall,
  candidate: Candidate,
  support: TranscriptionSupport,
  can: TranscriptionAbilities,
  { model, facts }: Pick<Call, 'model' | 'facts'>,
): TranscriptionPlan {
  const { input, file, milliseconds, translates } = asked
  const losses: Loss[] = [...input.losses]
  if (input.format === 'verbose_json')
    for (const name of WHISPER_FIELDS) changed(losses, `response.segments[].${name}`, 'only whisper reports it')
  const lose = lossCollector(losses)
  const call: Call = { model, stream: false, headers: {}, facts, lose }
  const allowed = <T>(name: string, value: T | undefined, isAble: boolean | undefined): T | undefined => {
    if (value === undefined || isAble) return value
    lose(name, 'the model has no equivalent')
    return undefined
  }
  const keywords = input.keywords.length > 0 ? input.keywords : undefined
  const request: TranscriptionRequest = {
    model,
    file,
    milliseconds,
    language: input.language,
    prompt: allowed('prompt', input.prompt, can.prompt),
    keywords: allowed('keywords[]', keywords, can.keywords) ?? [],
    temperature: allowed('temperature', input.temperature, can.temperature),
    times: input.times,
    speakers: input.format === 'diarized_json',
    translates,
  }
  return {
    candidate,
    losses,
    surcharges: surchargesOf(asked, can),
    way: 'exchange',
    support,
    input: request,
    call,
    request: support.request(request, call),
  }
}

function nativePlan(
  { upload, milliseconds, input }: TranscriptionCall,
  candidate: Candidate,
  { url, headers: own }: Pick<HttpRequest, 'url' | 'headers'>,
  surcharges: readonly string[],
): NativeTranscriptionPlan {
  return {
    way: 'native',
    candidate,
    losses: [],
    surcharges,
    request: {
      method: 'POST',
      url,
      ...(own && { headers: own }),
      body: { bytes: formWith(upload, new Map([['model', candidate.model]])), type: upload.contentType },
    },
    read: ({ bytes, headers, body }) => {
      const isTranscript = isJson(input.format) ? isObject(body) && typeof body['text'] === 'string' : bytes.length > 0
      if (!isTranscript) throw new HeadgateError('upstream', 'The provider returned no transcript.')
      return {
        bytes,
        type: headers['content-type'] ?? 'application/json',
        usage: withSurcharges(usageOf(body, milliseconds), surcharges),
        model: undefined,
      }
    },
  }
}

/** Usage of a response in OpenAI's wire: tokens, or the length that it reports, otherwise the length of the file. */
export function usageOf(body: unknown, milliseconds: number | undefined): CallResult['usage'] {
  const [answer = {}] = objects([body])
  const usage = isObject(answer['usage']) ? answer['usage'] : {}
  const [input, output] = [number(usage['input_tokens']), number(usage['output_tokens'])]
  if (input !== undefined && output !== undefined) {
    const [details = {}] = objects([usage['input_token_details']])
    const audioInput = number(details['audio_tokens'])
    return { input, output, ...(audioInput !== undefined && { audioInput }) }
  }
  const seconds = number(usage['seconds']) ?? number(answer['duration'])
  const length = seconds === undefined ? milliseconds : Math.ceil(seconds * 1_000)
  return length === undefined ? undefined : { input: 0, output: 0, units: { milliseconds: length } }
}
