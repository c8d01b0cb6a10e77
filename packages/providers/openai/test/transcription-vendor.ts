import type { TranscriptionFacts } from '@headgate/conformance'

/** Written from https://platform.openai.com/docs/api-reference/audio/createTranscription */
export const transcription: TranscriptionFacts = {
  model: 'whisper-1',
  can: { times: 'word', prompt: true, temperature: true, translates: true, maxBytes: 25_000_000 },
}
