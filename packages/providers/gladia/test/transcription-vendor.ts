import type { Received, TranscriptAnswer, TranscriptionFacts } from '@headgate/conformance'

/**
 * Gladia's pre-recorded transcription, written from https://docs.gladia.io/api-reference/v2/upload/audio-file,
 * https://docs.gladia.io/api-reference/v2/pre-recorded/init and …/get. Nothing was recorded.
 */

const url = 'https://api.gladia.io/file/636c70f6'
const FIELDS = ['audio_url', 'model', 'language_config', 'diarization', 'custom_vocabulary', 'custom_vocabulary_config']

interface Creation {
  readonly audio_url: string
  readonly model?: string
  readonly language_config?: { readonly languages: readonly string[] }
  readonly diarization?: boolean
  readonly custom_vocabulary?: boolean
  readonly custom_vocabulary_config?: { readonly vocabulary: readonly string[] }
}

export const transcription: TranscriptionFacts = {
  model: 'solaria-1',
  requests: ['POST /v2/upload', 'POST /v2/pre-recorded', 'GET /v2/pre-recorded/g-1'],
  replies: [
    { audio_url: url, audio_metadata: { id: '636c70f6', extension: 'wav', audio_duration: 1, number_of_channels: 1 } },
    { id: 'g-1', result_url: 'https://api.gladia.io/v2/pre-recorded/g-1' },
  ],
  pending: { id: 'g-1', status: 'processing', result: null },
  can: { times: 'word', speakers: true, keywords: true, maxBytes: 1_000_000_000, maxMs: 8_100_000 },
  read: ([upload, creation]) => {
    const file = (upload as Received).parts.find(({ name }) => name === 'audio')
    const body = creation?.body as Creation
    for (const name of Object.keys(body)) if (!FIELDS.includes(name)) throw new Error(`unknown field: ${name}`)
    if (!file) throw new Error('the part `audio` is missing')
    if (body.audio_url !== url) throw new Error('audio_url is not the URL of the upload')
    if (body.custom_vocabulary_config && !body.custom_vocabulary) throw new Error('custom_vocabulary is off')
    return {
      model: body.model ?? 'solaria-1',
      file,
      language: body.language_config?.languages[0],
      keywords: body.custom_vocabulary_config?.vocabulary ?? [],
      speakers: body.diarization === true,
    }
  },
  write: ({ text, language, seconds, segments, words, request }: TranscriptAnswer) => ({
    id: 'g-1',
    status: 'done',
    result: {
      metadata: { audio_duration: seconds, number_of_distinct_channels: 1, billing_time: seconds },
      transcription: {
        full_transcript: text,
        languages: [language],
        utterances: segments.map((segment) => ({
          text: segment.text,
          language,
          start: segment.start,
          end: segment.end,
          confidence: 0.9,
          channel: 0,
          ...(request.speakers && { speaker: Number(segment.speaker) }),
          words: words
            .filter(({ start, end }) => start >= segment.start && end <= segment.end)
            .map(({ text: word, start, end }) => ({ word: ` ${word}`, start, end, confidence: 0.9 })),
        })),
      },
    },
  }),
  failures: [
    { name: 'a broken file', kind: 'invalid-request', body: { id: 'g-1', status: 'error', error_code: 400 } },
    { name: 'a failed transcription', kind: 'upstream', body: { id: 'g-1', status: 'error', error_code: 500 } },
  ],
  error: (statusCode, message) => ({ statusCode, message, request_id: 'G-1' }),
}
