import { formatOf, type SpeechFacts } from '@headgate/conformance'
import { z } from 'zod'

/** @see https://deepinfra.com/docs/openai_api */
const Asked = z.strictObject({
  model: z.string(),
  input: z.string(),
  voice: z.string(),
  response_format: z.enum(['mp3', 'opus', 'flac', 'wav', 'pcm']).optional(),
  speed: z.number().optional(),
})

/** DeepInfra's speech, as its documentation describes it. Nothing was recorded. */
export const speech: SpeechFacts = {
  model: 'hexgrad/Kokoro-82M',
  path: '/v1/openai/audio/speech',
  voice: 'bf_emma',
  alloy: 'af_alloy',
  formats: ['mp3', 'opus', 'flac', 'wav', 'pcm'],
  speed: [0.25, 4],
  read({ body }) {
    const { response_format = 'mp3', ...asked } = Asked.parse(body)
    return { ...asked, format: formatOf(response_format) }
  },
}
