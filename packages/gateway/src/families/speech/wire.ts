import { dropped, type Json, type Loss } from '@headgate/core/canonical'
import { SPEECH_FORMATS, type SpeechFormat } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import { z } from 'zod'

/**
 * The body of `POST /v1/audio/speech`.
 * @see https://platform.openai.com/docs/api-reference/audio/createSpeech
 */
export const speechRequestSchema = z.looseObject({
  model: z.string().min(1),
  /** Text to speak. */
  input: z.string().min(1),
  /** Name of a voice, or the id of an own one. Names of OpenAI's voices work with every provider. */
  voice: z.union([z.string().min(1), z.looseObject({ id: z.string().min(1) })]),
  /** Description of the manner of speaking. */
  instructions: z.string().nullish(),
  /** Default: `mp3`, or the nearest format that the provider makes. */
  response_format: z.enum(SPEECH_FORMATS).nullish(),
  /** Factor of the normal speed; default 1. */
  speed: z.number().positive().max(10).nullish(),
  /** `audio` (default): the sound. `sse`: server-sent events with the sound in base64. */
  stream_format: z.enum(['audio', 'sse']).nullish(),
})

const KNOWN: ReadonlySet<string> = new Set(Object.keys(speechRequestSchema.shape))

/** Speech request, read from its body. */
export interface SpeechInput {
  readonly input: string
  readonly voice: string
  /** True if the caller named the voice by an id. */
  readonly isVoiceId: boolean
  readonly instructions: string | undefined
  /** Undefined = the caller did not choose. */
  readonly format: SpeechFormat | undefined
  readonly speed: number | undefined
  /** True for server-sent events. */
  readonly isSse: boolean
  /** Fields that only a native path carries. */
  readonly losses: readonly Loss[]
}

const EXPECTED: Readonly<Record<string, string>> = {
  model: 'a string',
  input: 'a string that is not empty',
  voice: 'the name of a voice, or { "id": "…" }',
  instructions: 'a string',
  response_format: `one of ${SPEECH_FORMATS.join(', ')}`,
  speed: 'a number above 0 and at most 10',
  stream_format: 'audio or sse',
}

/** @throws HeadgateError that names the invalid field. */
export function readSpeech(body: Json): SpeechInput {
  const read = speechRequestSchema.safeParse(body)
  if (!read.success) {
    const field = String(read.error.issues[0]?.path[0] ?? 'input')
    if (body[field] === undefined) throw invalid(field, `The field ${field} is missing.`)
    throw invalid(field, `The field ${field} must be ${EXPECTED[field] ?? 'valid'}.`)
  }
  const { input, voice, instructions, response_format, speed, stream_format } = read.data
  const losses: Loss[] = []
  for (const key of Object.keys(body)) if (!KNOWN.has(key)) dropped(losses, key, 'unknown field')
  return {
    input,
    voice: typeof voice === 'string' ? voice : voice.id,
    isVoiceId: typeof voice !== 'string',
    instructions: instructions || undefined,
    format: response_format ?? undefined,
    speed: speed ?? undefined,
    isSse: stream_format === 'sse',
    losses,
  }
}

/** Number of code points of a string. */
export function codePoints(text: string): number {
  let count = text.length
  for (let index = 0; index < text.length - 1; index++) {
    const pair = (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
    if (pair) count--
  }
  return count
}
