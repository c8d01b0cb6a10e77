import type { TranscriptionFacts } from '@headgate/conformance'

/** Written from https://docs.fireworks.ai/api-reference/audio-transcriptions */
export const transcription: TranscriptionFacts = {
  model: 'whisper-v3',
  requests: ['POST /v1/audio/transcriptions'],
  can: { times: 'word', prompt: true, temperature: true, translates: true, maxBytes: 1_000_000_000 },
}
