import type { Received, TranscriptAnswer, TranscriptionFacts } from '@headgate/conformance'

/**
 * Mistral's transcriptions, written from https://docs.mistral.ai/capabilities/audio_transcription and
 * https://docs.mistral.ai/api/endpoint/audio/transcriptions. Nothing was recorded.
 */

const FIELDS = ['model', 'file', 'language', 'temperature', 'diarize', 'context_bias', 'timestamp_granularities']

function textsOf({ parts }: Received, name: string): readonly string[] {
  return parts.filter((part) => part.name === name).map(({ bytes }) => String(bytes))
}

export const transcription: TranscriptionFacts = {
  model: 'voxtral-mini-latest',
  requests: ['POST /v1/audio/transcriptions'],
  can: { times: 'word', speakers: true, keywords: true, temperature: true },
  counts: 'seconds',
  read: ([given]) => {
    const request = given as Received
    for (const { name } of request.parts) if (!FIELDS.includes(name)) throw new Error(`unknown field: ${name}`)
    const file = request.parts.find(({ name }) => name === 'file')
    const [model] = textsOf(request, 'model')
    const [language] = textsOf(request, 'language')
    const [temperature] = textsOf(request, 'temperature')
    if (!file || !model) throw new Error('file and model are required')
    if (language !== undefined && !/^\w{2}$/.test(language)) throw new Error('the language has two letters')
    if (language !== undefined && textsOf(request, 'timestamp_granularities').length > 0)
      throw new Error('timestamp_granularities cannot be combined with language')
    const words = textsOf(request, 'context_bias')
    if (words.some((word) => !/^[^,\s]+$/.test(word))) throw new Error('context_bias has no spaces or commas')
    return {
      model,
      file,
      language,
      temperature: temperature === undefined ? undefined : Number(temperature),
      keywords: words.map((word) => word.replaceAll('_', ' ')),
      speakers: textsOf(request, 'diarize')[0] === 'true',
    }
  },
  write: ({ text, language, seconds, segments, words, request }: TranscriptAnswer, [given]) => {
    const [granularity] = textsOf(given as Received, 'timestamp_granularities')
    const spoken = granularity === 'word' ? words : granularity === 'segment' ? segments : []
    return {
      model: 'voxtral-mini-2602',
      text,
      language,
      segments: spoken.map(({ text: own, start, end, speaker }) => ({
        type: 'transcription_segment',
        text: ` ${own}`,
        start,
        end,
        score: null,
        speaker_id: request.speakers ? `speaker_${speaker}` : null,
      })),
      usage: {
        prompt_tokens: 4,
        completion_tokens: 40,
        total_tokens: 44,
        prompt_audio_seconds: Math.floor(seconds),
      },
    }
  },
}
