import { isObject, type Loss, number, objects } from '@headgate/core/canonical'
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
import type { TranscriptionInput } from './wire.ts'

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

/** Plan of a candidate. */
export type TranscriptionPlan = { readonly candidate: Candidate; readonly losses: readonly Loss[] } & (
  | { readonly way: 'native'; readonly request: HttpRequest; read(answer: HttpResponse): NativeTranscription }
  | ({ readonly way: 'exchange' } & SupportCall<TranscriptionRequest, TranscriptionResponse>)
)

/** Plans a candidate. @throws HeadgateError if it cannot serve the request. */
export function planFor(asked: TranscriptionCall, candidate: Candidate): TranscriptionPlan {
  const { instance, endpoint, model, facts } = candidate
  const support = endpoint.provider.transcription
  if (!support) throw invalid('model', `Provider ${instance.name} does not support transcription.`)
  const can = (typeof support.can === 'function' ? support.can(model) : support.can) ?? {}
  checkAbilities(asked, can, model)
  const path = asked.translates ? support.native?.translations : support.native?.transcriptions
  if (path !== undefined && !asked.input.isStream && can.formats?.includes(asked.input.format))
    return nativePlan(asked, candidate, path)
  return exchangePlan(asked, candidate, support, can, { model, facts })
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

function exchangePlan(
  { input, file, milliseconds, translates }: TranscriptionCall,
  candidate: Candidate,
  support: TranscriptionSupport,
  can: TranscriptionAbilities,
  { model, facts }: Pick<Call, 'model' | 'facts'>,
): TranscriptionPlan {
  const losses: Loss[] = [...input.losses]
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
    way: 'exchange',
    support,
    input: request,
    call,
    request: support.request(request, call),
  }
}

function nativePlan(
  { upload, milliseconds }: TranscriptionCall,
  candidate: Candidate,
  path: string,
): TranscriptionPlan {
  return {
    way: 'native',
    candidate,
    losses: [],
    request: {
      method: 'POST',
      url: path,
      body: { bytes: formWith(upload, new Map([['model', candidate.model]])), type: upload.contentType },
    },
    read: ({ bytes, headers, body }) => {
      if (bytes.length === 0) throw new HeadgateError('upstream', 'The provider returned an empty transcript.')
      return {
        bytes,
        type: headers['content-type'] ?? 'application/json',
        usage: usageOf(body, milliseconds),
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
