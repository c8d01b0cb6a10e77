import type { Received, TranscriptAnswer, TranscriptionFacts } from '@headgate/conformance'

/**
 * xAI's speech to text, written from https://docs.x.ai/developers/model-capabilities/audio/speech-to-text and the
 * requests of `@ai-sdk/xai` 5.0.12. Nothing was recorded.
 */

const FIELDS = ['language', 'format', 'diarize', 'keyterm', 'file']

export const transcription: TranscriptionFacts = {
  model: 'grok-stt',
  requests: ['POST /v1/stt'],
  can: { times: 'word', speakers: true, keywords: true, maxBytes: 500_000_000 },
  read: ([request]) => {
    const { parts } = request as Received
    const texts = (name: string) => parts.filter((part) => part.name === name).map(({ bytes }) => String(bytes))
    for (const { name } of parts) if (!FIELDS.includes(name)) throw new Error(`unknown field: ${name}`)
    const file = parts.at(-1)
    if (file?.name !== 'file') throw new Error('file must be the last part')
    const [language] = texts('language')
    if (texts('format')[0] === 'true' && language === undefined) throw new Error('format requires a language')
    return {
      model: 'grok-stt',
      file,
      language,
      keywords: texts('keyterm'),
      speakers: texts('diarize')[0] === 'true',
    }
  },
  write: ({ text, language, seconds, words, request }: TranscriptAnswer) => ({
    text,
    language,
    duration: seconds,
    words: words.map(({ text: word, start, end, speaker }) => ({
      text: word,
      start,
      end,
      ...(request.speakers && { speaker: Number(speaker) }),
    })),
  }),
  error: (_, error) => ({ code: 'error', error }),
}
