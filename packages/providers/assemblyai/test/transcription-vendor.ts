import type { Received, TranscriptAnswer, TranscriptionFacts } from '@headgate/conformance'

/**
 * AssemblyAI's transcripts, written from https://www.assemblyai.com/docs/api-reference/files/upload and
 * https://www.assemblyai.com/docs/api-reference/transcripts/submit. Nothing was recorded.
 */

const url = 'https://cdn.assemblyai.com/upload/f756988d'
const FIELDS = [
  'audio_url',
  'speech_models',
  'speaker_labels',
  'language_code',
  'language_detection',
  'keyterms_prompt',
]

interface Creation {
  readonly audio_url: string
  readonly speech_models: readonly string[]
  readonly speaker_labels?: boolean
  readonly language_code?: string
  readonly language_detection?: boolean
  readonly keyterms_prompt?: readonly string[]
  readonly temperature?: number
}

export const transcription: TranscriptionFacts = {
  model: 'universal-3-pro',
  requests: ['POST /v2/upload', 'POST /v2/transcript', 'GET /v2/transcript/t-1'],
  replies: [{ upload_url: url }, { id: 't-1', status: 'queued', audio_url: url, text: null, words: null, error: null }],
  pending: { id: 't-1', status: 'processing', audio_url: url, text: null, words: null, error: null },
  can: {
    times: 'word',
    speakers: true,
    keywords: true,
    temperature: true,
    maxBytes: 2_200_000_000,
    maxMs: 36_000_000,
    surcharges: { keywords: 'keywordMilliseconds', speakers: 'speakerMilliseconds' },
  },
  receives: [],
  read: ([upload, creation]) => {
    const { bytes } = upload as Received
    const body = creation?.body as Creation
    for (const name of Object.keys(body))
      if (![...FIELDS, 'temperature'].includes(name)) throw new Error(`unknown field: ${name}`)
    if (body.audio_url !== url) throw new Error('audio_url is not the URL of the upload')
    if (body.language_code !== undefined && body.language_detection) throw new Error('a language is detected or given')
    const [model] = body.speech_models
    if (model === undefined) throw new Error('speech_models is required')
    return {
      model,
      file: { bytes },
      language: body.language_code,
      keywords: body.keyterms_prompt ?? [],
      speakers: body.speaker_labels === true,
      temperature: body.temperature,
    }
  },
  write: ({ text, language, seconds, words, request }: TranscriptAnswer) => ({
    id: 't-1',
    status: 'completed',
    audio_url: url,
    text,
    language_code: language,
    audio_duration: seconds,
    error: null,
    words: words.map(({ text: word, start, end, speaker }) => ({
      text: word,
      start: Math.round(start * 1_000),
      end: Math.round(end * 1_000),
      confidence: 0.9,
      speaker: request.speakers ? (speaker === '1' ? 'B' : 'A') : null,
    })),
    utterances: null,
  }),
  failures: [
    {
      name: 'a file without sound',
      kind: 'invalid-request',
      body: { id: 't-1', status: 'error', error: 'File does not appear to contain audio. File type is text/html.' },
    },
    { name: 'a failed transcript', kind: 'upstream', body: { id: 't-1', status: 'error', error: 'Server error' } },
  ],
  error: (_, error) => ({ error }),
}
