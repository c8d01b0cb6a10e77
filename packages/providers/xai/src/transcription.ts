import {
  type FormPart,
  HeadgateError,
  type HttpResponse,
  type Json,
  type ModelFacts,
  number,
  object,
  objects,
  type TranscriptionRequest,
  type TranscriptionResponse,
  type TranscriptionSupport,
  text,
  timedText,
  timeUsage,
} from '@headgate/core/provider'

/**
 * Grok's speech to text. It has one model, and the file must be the last part of the form.
 * @see https://docs.x.ai/developers/model-capabilities/audio/speech-to-text
 */
export const transcription: TranscriptionSupport = {
  can: { times: 'word', speakers: true, keywords: true, maxBytes: 500_000_000 },
  request: (input) => ({ method: 'POST', url: '/stt', body: { form: formOf(input) } }),
  response: readTranscript,
}

function formOf({ file, language, keywords, speakers }: TranscriptionRequest): readonly FormPart[] {
  const fields: readonly (readonly [name: string, value: string | undefined])[] = [
    ['language', language],
    // Numbers and currencies are formatted only in a named language.
    ['format', language === undefined ? undefined : 'true'],
    ['diarize', speakers ? 'true' : undefined],
    ...keywords.map((word) => ['keyterm', word] as const),
  ]
  return [
    ...fields.flatMap(([name, value]): FormPart[] => (value === undefined ? [] : [{ name, value }])),
    { name: 'file', value: file.content, filename: file.name, type: file.type },
  ]
}

function readTranscript({ body }: HttpResponse): TranscriptionResponse {
  const answer: Json = object(body) ?? {}
  const whole = text(answer['text'])
  if (whole === undefined) throw new HeadgateError('upstream', 'xAI returned no transcript.')
  const seconds = number(answer['duration'])
  return {
    text: whole,
    language: text(answer['language']),
    seconds,
    words: objects(answer['words']).flatMap(({ text: word, start, end, speaker }) =>
      timedText(word, start, end, speaker),
    ),
    usage: timeUsage(seconds),
  }
}

/**
 * Price of an hour: $0.10, in nano-dollars per million milliseconds.
 * @see https://docs.x.ai/developers/models
 */
export const transcribers: readonly ModelFacts[] = [
  {
    id: 'grok-stt',
    families: ['transcription'],
    price: { id: 'x.ai/api@2026-11-11', input: 0, output: 0, units: { milliseconds: 27_777_778 } },
  },
]
