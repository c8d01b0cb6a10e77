import {
  type Received,
  readTranscriptForm,
  type TranscriptAnswer,
  type TranscriptionFacts,
  writeTranscript,
} from '@headgate/conformance'

/** Together's transcriptions, written from https://docs.together.ai/reference/audio-transcriptions. */
export const transcription: TranscriptionFacts = {
  model: 'openai/whisper-large-v3',
  requests: ['POST /v1/audio/transcriptions'],
  can: { times: 'word', speakers: true, prompt: true, temperature: true, translates: true },
  read: (requests) => {
    const diarize = requests[0]?.parts.find(({ name }) => name === 'diarize')
    return { ...readTranscriptForm(requests, ['diarize']), speakers: String(diarize?.bytes) === 'true' }
  },
  write: (answer: TranscriptAnswer, requests: readonly Received[]) => {
    const body = writeTranscript(answer, requests)
    if (!answer.request.speakers || typeof body === 'string') return body
    const speaker_segments = answer.segments.map(({ text, start, end, speaker }, id) => ({
      id,
      speaker_id: `SPEAKER_0${speaker}`,
      start,
      end,
      text: ` ${text}`,
      words: [],
    }))
    return { ...body, speaker_segments }
  },
}
