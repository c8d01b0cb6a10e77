import { defineProvider, endpoint, endpointEnv } from '@headgate/core/provider'
import { z } from 'zod'
import { speech } from './speech.ts'
import { speakers } from './speech-models.ts'

/**
 * Cartesia: speech with Sonic.
 *
 * A voice is an id. Prices depend on the plan, so they are unknown until you set them.
 *
 * @see https://docs.cartesia.ai/api-reference/tts/bytes
 */
export const cartesia = defineProvider(
  {
    id: 'cartesia',
    title: 'Cartesia',
    config: z.strictObject(endpoint('https://api.cartesia.ai')),
    env: endpointEnv('cartesia'),
    claims: [/^sonic-/],
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'authorization', value: `Bearer ${apiKey}` },
    speech,
    known: speakers,
  }),
)
