import {
  bytesOf,
  HeadgateError,
  type Json,
  number,
  object,
  objects,
  pcmOfWav,
  type SpeechAbilities,
  type SpeechPart,
  type SpeechRequest,
  type SpeechSupport,
  text,
} from '@headgate/core/provider'
import { methodPath } from './resource.ts'
import { NAMES, VOICES } from './speech-models.ts'

/** Models whose instructions are part of the text, and which have only the voices of the list. */
const EARLIER = /^gemini-(2\.|3\.[01]-)/
const BLOCKED: ReadonlySet<unknown> = new Set(['SAFETY', 'PROHIBITED_CONTENT', 'BLOCKLIST', 'SPII', 'RECITATION'])

/**
 * Speech of Gemini, which is a stream of generateContent with sound. Streams have pcm with 24 kHz, whole responses of
 * Gemini 3.8 have a WAV file.
 * @see https://ai.google.dev/gemini-api/docs/speech-generation
 */
export const speech: SpeechSupport = {
  can(model): SpeechAbilities {
    const voices = EARLIER.test(model) ? VOICES : undefined
    return { voices, voiceNames: NAMES, formats: ['pcm'], instructions: true, tokensPerCharacter: 25 }
  },
  request: (input) => ({
    method: 'POST',
    url: methodPath(input.model, 'streamGenerateContent?alt=sse'),
    body: { json: bodyOf(input) },
  }),
  part: readPart,
  hasEnd: true,
}

function bodyOf({ model, input, voice, instructions }: SpeechRequest): object {
  const isEarlier = EARLIER.test(model)
  const part =
    instructions === undefined
      ? { text: input }
      : isEarlier
        ? { text: `${instructions}: ${input}` }
        : { text: input, speechMetadata: { style: instructions } }
  const voiceConfig = isEarlier ? { prebuiltVoiceConfig: { voiceName: voice } } : { voice }
  return {
    contents: [{ role: 'user', parts: [part] }],
    generationConfig: { responseModalities: ['AUDIO'], speechConfig: { voiceConfig } },
  }
}

/** Part of a stream. @throws HeadgateError for a blocked input, and for sound that is not pcm with 24 kHz */
function readPart(data: unknown): SpeechPart {
  const { candidates, promptFeedback, usageMetadata } = object(data) ?? {}
  const [candidate] = objects(candidates)
  const reason = text(candidate?.['finishReason'])
  const blocked = text(object(promptFeedback)?.['blockReason']) ?? (BLOCKED.has(reason) ? reason : undefined)
  if (blocked !== undefined) throw new HeadgateError('content-policy', `Gemini refused the text (${blocked}).`)
  const sounds = objects(object(candidate?.['content'])?.['parts']).flatMap(soundOf)
  return {
    bytes: sounds.length === 0 ? undefined : Buffer.concat(sounds),
    isLast: reason !== undefined,
    usage: usageOf(object(usageMetadata)),
  }
}

function soundOf({ inlineData }: Json): Uint8Array[] {
  const { data, mimeType } = object(inlineData) ?? {}
  const bytes = bytesOf(data)
  if (!bytes) return []
  const type = text(mimeType) ?? ''
  const pcm = /wav/i.test(type) ? pcmOfWav(bytes) : /rate=(?!24000\b)/.test(type) ? undefined : bytes
  if (!pcm) throw new HeadgateError('upstream', 'The sound does not have 24 kHz, 16 bits, mono.')
  return [pcm]
}

function usageOf(given: Json | undefined): SpeechPart['usage'] {
  const [input, output] = [number(given?.['promptTokenCount']), number(given?.['candidatesTokenCount'])]
  return input === undefined || output === undefined ? undefined : { input, output, audioOutput: output }
}
