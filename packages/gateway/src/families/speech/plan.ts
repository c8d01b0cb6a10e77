import { changed, type Edit, type Loss } from '@headgate/core/canonical'
import {
  type Call,
  forModel,
  type HttpRequest,
  readSpeechEvent,
  type SpeechAbilities,
  type SpeechFormat,
  type SpeechRequest,
  type SpeechSupport,
} from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import type { ParsedBody } from '../../edge/body.ts'
import { splice } from '../../edge/splice.ts'
import { wireBody } from '../../http/wire-body.ts'
import type { Voices } from '../../ports/voices.ts'
import type { Candidate } from '../../routing/candidates.ts'
import type { Outgoing } from '../../serve/attempt.ts'
import { lossCollector } from '../../serve/losses.ts'
import { type ChosenFormat, formatFor } from './format.ts'
import { type ChosenVoice, voiceFor } from './voice.ts'
import { codePoints, type SpeechInput } from './wire.ts'

/** Request for speech. */
export interface SpeechCall {
  readonly body: ParsedBody
  /** The caller's name of the model. */
  readonly model: string
  /** The request. It is read once, when a candidate needs it. */
  input(): SpeechInput
  readonly voices: Voices
}

/** Plan of a candidate. */
export interface SpeechPlan extends ChosenFormat {
  readonly candidate: Candidate
  readonly losses: readonly Loss[]
  /** Losses of the response. */
  readonly responseLosses: readonly Loss[]
  readonly isSse: boolean
  /** True if the caller's body is sent, and the response is forwarded unchanged. */
  readonly isBypass: boolean
  readonly request: SpeechRequest
  readonly outgoing: Outgoing
  /** Reader of JSON and of events. */
  readonly part: SpeechSupport['part']
  /** True if a stream of events has an end. */
  readonly hasEnd: boolean
  readonly usageOf: SpeechSupport['usageOf']
  /** Number of characters of the text, for providers that do not count them. */
  readonly characters: number
}

/** Values of a request that a model supports. */
interface Chosen extends ChosenFormat, ChosenVoice {
  readonly speed: number | undefined
  readonly instructions: string | undefined
  readonly losses: Loss[]
}

const NO_USAGE: Loss = { path: 'usage', kind: 'dropped', reason: 'the provider counts no tokens' }

/** Plans a candidate. @throws HeadgateError if it cannot serve the request. */
export function planFor(asked: SpeechCall, candidate: Candidate): SpeechPlan {
  const { instance, endpoint, model, facts } = candidate
  const support = endpoint.provider.speech
  if (!support) throw invalid('model', `Provider ${instance.name} does not support speech.`)
  const can = forModel<SpeechAbilities>(support.can, model)
  if (!can) throw invalid('model', `The model ${model} of ${instance.name} does not speak.`)
  const input = asked.input()
  const chosen = choose(asked, input, can, { provider: instance.name, model })
  const { losses, voice, format, made, speed, instructions } = chosen
  const { isVoiceId, isSse } = input
  const request: SpeechRequest = { model, input: input.input, voice, isVoiceId, format: made, speed, instructions }
  const call: Call = { model, stream: true, headers: {}, facts, lose: lossCollector(losses) }
  const written = support.request(request, call)
  const path = forModel<string | undefined>(support.native, model)
  const isNative = path !== undefined && format === made && losses.every(({ kind }) => kind === 'changed')
  if (!isNative) losses.push(...input.losses)
  const bytes = isNative ? nativeBody(asked, input, can, { ...chosen, model }) : undefined
  return {
    candidate,
    losses,
    responseLosses: isSse && !can.sse ? [NO_USAGE] : [],
    format,
    made,
    isSse,
    isBypass: isNative && isSse === (can.sse === true),
    request,
    outgoing: outgoingOf(isNative ? { ...written, url: path } : written, bytes),
    part: isNative ? readSpeechEvent : support.part && ((data, given) => support.part?.(data, given) ?? {}),
    hasEnd: isNative || support.hasEnd === true,
    usageOf: support.usageOf && ((answer, given) => support.usageOf?.(answer, given)),
    characters: codePoints(input.input),
  }
}

/** @throws HeadgateError for what the model cannot do */
function choose(
  { voices: configured }: SpeechCall,
  given: SpeechInput,
  can: SpeechAbilities,
  { provider, model }: { readonly provider: string; readonly model: string },
): Chosen {
  const { maxCharacters = Number.POSITIVE_INFINITY } = can
  const length = codePoints(given.input)
  if (length > maxCharacters)
    throw invalid('input', `The text has ${length} characters, and the model ${model} accepts ${maxCharacters}.`)
  const losses: Loss[] = []
  const lose = lossCollector(losses)
  const voice = voiceFor(given, can, { configured, provider, model })
  if (voice.isReplaced) changed(losses, 'voice', 'the model has other voices')
  const format = formatFor(given.format, can, model, losses)
  const speed = speedFor(given.speed, can, model, lose)
  const instructions = can.instructions ? given.instructions : undefined
  if (given.instructions !== instructions) lose('instructions', 'the model has no equivalent')
  return { ...voice, ...format, speed, instructions, losses }
}

/** @throws HeadgateError for a speed outside of the model's range */
function speedFor(
  asked: number | undefined,
  { speed: range }: SpeechAbilities,
  model: string,
  lose: Call['lose'],
): number | undefined {
  if (asked === undefined) return undefined
  if (!range) {
    if (asked !== 1) lose('speed', 'the model has one speed')
    return undefined
  }
  const [least, most] = range
  if (asked >= least && asked <= most) return asked
  throw invalid('speed', `The speed ${asked} is out of range. The model ${model} has speeds from ${least} to ${most}.`)
}

/** The caller's body with the values that were chosen. All other bytes are the caller's. */
function nativeBody(
  { body }: SpeechCall,
  { voice: asked, format: askedFormat, isVoiceId }: SpeechInput,
  { sse }: SpeechAbilities,
  { model, voice, format }: { readonly model: string; readonly voice: string; readonly format: SpeechFormat },
): Buffer {
  const { json, bytes, spans } = body
  const edits: Edit[] = []
  const set = (key: string, value: string): void => {
    if (json[key] !== value) edits.push({ path: [key], value })
  }
  set('model', model)
  if (!isVoiceId && voice !== asked) set('voice', voice)
  if (askedFormat === undefined && format !== 'mp3') set('response_format', format)
  if (sse) set('stream_format', 'sse')
  else if (json['stream_format'] !== undefined) edits.push({ path: [], without: ['stream_format'] })
  return splice(bytes, spans, edits)
}

function outgoingOf({ url, headers = {}, body }: HttpRequest, own: Uint8Array | undefined): Outgoing {
  const wire = own ? undefined : body && wireBody(body)
  const bytes = own ?? wire?.bytes
  if (bytes === undefined || (typeof bytes === 'object' && 'read' in bytes))
    throw new TypeError('A request for speech needs a body that is not a file.')
  const type = wire?.type ?? 'application/json'
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return { path: url, headers: { 'content-type': type, ...Object.fromEntries(lowered) }, body: bytes }
}
