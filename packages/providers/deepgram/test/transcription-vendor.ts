import type { Received, TranscriptAnswer, TranscriptionFacts } from '@headgate/conformance'

/**
 * Deepgram's pre-recorded audio, written from
 * https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded. Nothing was recorded.
 */

const PARAMETERS = ['model', 'smart_format', 'utterances', 'diarize', 'language', 'detect_language', 'keyterm']

export const transcription: TranscriptionFacts = {
  model: 'nova-3',
  requests: ['POST /v1/listen'],
  can: { times: 'word', speakers: true, keywords: true, maxBytes: 2_000_000_000 },
  receives: ['type'],
  read: ([request]) => {
    const { query, bytes, headers } = request as Received
    for (const name of query.keys()) if (!PARAMETERS.includes(name)) throw new Error(`unknown parameter: ${name}`)
    const language = query.get('language') ?? undefined
    if (language !== undefined && query.has('detect_language')) throw new Error('language and detect_language')
    return {
      model: query.get('model') ?? 'base-general',
      file: { bytes, type: headers['content-type'] },
      language,
      keywords: query.getAll('keyterm'),
      speakers: query.get('diarize') === 'true',
    }
  },
  write: ({ text, language, seconds, words, segments, request }: TranscriptAnswer) => {
    const speakerOf = (speaker: string | undefined) => (request.speakers ? { speaker: Number(speaker) } : {})
    return {
      metadata: { request_id: 'r-1', duration: seconds, channels: 1, models: ['m-1'] },
      results: {
        channels: [
          {
            detected_language: language,
            language_confidence: 0.98,
            alternatives: [
              {
                transcript: text,
                confidence: 0.99,
                words: words.map(({ text: word, start, end, speaker }) => ({
                  word: word.toLowerCase().replace(/\W+$/, ''),
                  punctuated_word: word,
                  start,
                  end,
                  confidence: 0.9,
                  ...speakerOf(speaker),
                })),
              },
            ],
          },
        ],
        utterances: segments.map(({ text: transcript, start, end, speaker }, at) => ({
          id: `u-${at}`,
          channel: 0,
          transcript,
          start,
          end,
          ...speakerOf(speaker),
        })),
      },
    }
  },
  error: (status, err_msg) => ({ err_code: `ERROR_${status}`, err_msg, request_id: 'r-1' }),
}
