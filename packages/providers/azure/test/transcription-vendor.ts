import type { TranscriptionFacts } from '@headgate/conformance'

/** Written from https://learn.microsoft.com/azure/ai-foundry/openai/whisper-quickstart */
export const transcription: TranscriptionFacts = {
  model: 'whisper',
  requests: ['POST /openai/v1/audio/transcriptions'],
  can: { times: 'word', prompt: true, temperature: true, translates: true, maxBytes: 25_000_000 },
}
