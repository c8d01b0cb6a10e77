import type { Received, TranscriptAnswer, TranscriptionFacts } from '@headgate/conformance'

/**
 * ElevenLabs' speech to text, written from https://elevenlabs.io/docs/api-reference/speech-to-text/convert. Nothing was
 * recorded.
 */

const FIELDS = [
  'model_id',
  'file',
  'language_code',
  'diarize',
  'timestamps_granularity',
  'tag_audio_events',
  'keyterms',
]

export const transcription: TranscriptionFacts = {
  model: 'scribe_v2',
  requests: ['POST /v1/speech-to-text'],
  can: {
    times: 'word',
    speakers: true,
    keywords: true,
    temperature: true,
    maxBytes: 5_000_000_000,
    maxMs: 36_000_000,
    surcharges: { keywords: 'keywordMilliseconds' },
  },
  read: ([request]) => {
    const { parts } = request as Received
    for (const { name } of parts)
      if (![...FIELDS, 'temperature'].includes(name)) throw new Error(`unknown field: ${name}`)
    const texts = (name: string) => parts.filter((one) => one.name === name).map(({ bytes }) => String(bytes))
    const file = parts.find(({ name }) => name === 'file')
    const [model = ''] = texts('model_id')
    const [temperature] = texts('temperature')
    if (!file || !model.startsWith('scribe_')) throw new Error('file and model_id are required')
    if (!['true', 'false'].includes(texts('diarize')[0] ?? 'false')) throw new Error('diarize is a boolean')
    return {
      model,
      file,
      language: texts('language_code')[0],
      keywords: texts('keyterms'),
      speakers: texts('diarize')[0] === 'true',
      temperature: temperature === undefined ? undefined : Number(temperature),
    }
  },
  write: ({ text, seconds, words, request }: TranscriptAnswer) => ({
    language_code: 'deu',
    language_probability: 0.98,
    text,
    audio_duration_secs: seconds,
    words: words.flatMap(({ text: word, start, end, speaker }) => {
      const own = request.speakers ? { speaker_id: `speaker_${speaker}` } : {}
      return [
        { text: word, type: 'word', start, end, logprob: -0.1, ...own },
        { text: ' ', type: 'spacing', start: end, end, logprob: 0, ...own },
      ]
    }),
  }),
  error: (status, message) => ({ detail: { status: `error_${status}`, message } }),
}
