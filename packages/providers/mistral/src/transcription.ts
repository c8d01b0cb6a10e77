import {
  type Call,
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
 * Voxtral. Words are segments, and a language cannot be combined with times.
 * @see https://docs.mistral.ai/capabilities/audio_transcription
 * @see https://docs.mistral.ai/api/endpoint/audio/transcriptions
 */
export const transcription: TranscriptionSupport = {
  can: { times: 'word', speakers: true, keywords: true, temperature: true },
  request: (input, call) => ({ method: 'POST', url: '/audio/transcriptions', body: { form: formOf(input, call) } }),
  response: readTranscript,
}

function formOf(input: TranscriptionRequest, call: Call): readonly FormPart[] {
  const { model, file, keywords, temperature, times, speakers } = input
  if (times !== 'none' && input.language !== undefined) call.lose('language', 'it cannot be combined with times')
  const fields: readonly (readonly [name: string, value: string | undefined])[] = [
    ['model', model],
    ['language', times === 'none' ? input.language : undefined],
    ['temperature', temperature === undefined ? undefined : String(temperature)],
    ['diarize', speakers ? 'true' : undefined],
    ['timestamp_granularities', times === 'none' ? undefined : times],
    // Entries have no spaces or commas.
    ...keywords.map((word) => ['context_bias', word.trim().replace(/[,\s]+/g, '_')] as const),
  ]
  return [
    ...fields.flatMap(([name, value]): FormPart[] => (value === undefined ? [] : [{ name, value }])),
    { name: 'file', value: file.content, filename: file.name, type: file.type },
  ]
}

/** The length is a whole number of seconds. */
function readTranscript({ body }: HttpResponse, { times }: TranscriptionRequest): TranscriptionResponse {
  const answer: Json = object(body) ?? {}
  const whole = text(answer['text'])
  if (whole === undefined) throw new HeadgateError('upstream', 'Mistral returned no transcript.')
  const spoken = objects(answer['segments']).flatMap(({ text: own, start, end, speaker_id }) =>
    timedText(own, start, end, speaker_id),
  )
  return {
    text: whole,
    language: text(answer['language']),
    model: text(answer['model']),
    ...(times === 'word' ? { words: spoken } : { segments: spoken }),
    usage: timeUsage(number(object(answer['usage'])?.['prompt_audio_seconds'])),
  }
}

const source = 'mistral.ai/pricing@2026-11-23'

/**
 * Price of a minute: $0.003, in nano-dollars per million milliseconds.
 * @see https://mistral.ai/pricing
 */
export const transcribers: readonly ModelFacts[] = ['voxtral-mini-latest', 'voxtral-mini-2602'].map((id) => ({
  id,
  families: ['transcription'],
  price: { id: source, input: 0, output: 0, units: { milliseconds: 50_000_000 } },
}))
