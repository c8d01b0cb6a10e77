import { formatOf, type SpeechFacts } from '@headgate/conformance'
import { z } from 'zod'

/** @see https://console.groq.com/docs/api-reference#audio-speech */
const Asked = z.strictObject({
  model: z.string(),
  input: z.string(),
  voice: z.string(),
  response_format: z.enum(['flac', 'mp3', 'mulaw', 'ogg', 'wav']).optional(),
  sample_rate: z.int().optional(),
  speed: z.number().optional(),
})

/** Speech of Orpheus at Groq, as its documentation describes it. Nothing was recorded. */
export const speech: SpeechFacts = {
  model: 'canopylabs/orpheus-v1-english',
  path: '/openai/v1/audio/speech',
  voice: 'troy',
  alloy: 'hannah',
  isClosed: true,
  formats: ['wav'],
  speed: [0.5, 5],
  maxCharacters: 200,
  read({ body }) {
    const { response_format = 'mp3', sample_rate: _, ...asked } = Asked.parse(body)
    return { ...asked, format: formatOf(response_format) }
  },
}
