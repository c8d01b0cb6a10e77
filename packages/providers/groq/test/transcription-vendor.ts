import type { TranscriptionFacts } from '@headgate/conformance'

/** Written from https://console.groq.com/docs/speech-to-text */
export const transcription: TranscriptionFacts = {
  model: 'whisper-large-v3',
  requests: ['POST /openai/v1/audio/transcriptions'],
  can: { times: 'word', prompt: true, temperature: true, translates: true, maxBytes: 100_000_000 },
}
