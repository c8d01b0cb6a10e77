import {
  type FormPart,
  HeadgateError,
  type HttpResponse,
  type Json,
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

/** Transcripts with the times and speakers of words. */
export const transcription: TranscriptionSupport = {
  can: {
    times: 'word',
    speakers: true,
    keywords: true,
    temperature: true,
    maxBytes: 5_000_000_000,
    maxMs: 36_000_000,
    surcharges: { keywords: 'keywordMilliseconds' },
  },
  request: (input) => ({ method: 'POST', url: '/v1/speech-to-text', body: { form: formOf(input) } }),
  response: readTranscript,
}

function formOf({ model, file, language, keywords, temperature, speakers }: TranscriptionRequest): readonly FormPart[] {
  const fields: readonly (readonly [name: string, value: string | undefined])[] = [
    ['model_id', model],
    ['language_code', language],
    ['diarize', String(speakers)],
    ['timestamps_granularity', 'word'],
    ['tag_audio_events', 'false'],
    ['temperature', temperature === undefined ? undefined : String(temperature)],
    ...keywords.map((word) => ['keyterms', word] as const),
  ]
  return [
    ...fields.flatMap(([name, value]): FormPart[] => (value === undefined ? [] : [{ name, value }])),
    { name: 'file', value: file.content, filename: file.name, type: file.type },
  ]
}

function readTranscript({ body }: HttpResponse): TranscriptionResponse {
  const answer: Json = object(body) ?? {}
  const whole = text(answer['text'])
  if (whole === undefined) throw new HeadgateError('upstream', 'ElevenLabs returned no transcript.')
  const seconds = number(answer['audio_duration_secs'])
  // Spaces and sounds are entries too.
  const words = objects(answer['words']).filter(({ type }) => type === 'word')
  return {
    text: whole,
    language: text(answer['language_code']),
    seconds,
    words: words.flatMap(({ text: word, start, end, speaker_id }) => timedText(word, start, end, speaker_id)),
    usage: timeUsage(seconds),
  }
}
