import { bearer } from '@headgate/core/credentials'
import { apiKey, baseUrl, defineProvider, object, text } from '@headgate/core/provider'
import { z } from 'zod'
import { agents, agentsKnown } from './agents.ts'
import { dreamMachine, dreamMachineKnown } from './dream-machine.ts'

const APIS = {
  agents: { baseUrl: 'https://agents.lumalabs.ai/v1', video: agents, known: agentsKnown },
  'dream-machine': {
    baseUrl: 'https://api.lumalabs.ai/dream-machine/v1',
    video: dreamMachine,
    known: dreamMachineKnown,
  },
} as const

/**
 * Luma. It has two APIs with separate keys and models: `agents` creates videos with Ray 3.2, `dream-machine` with Ray
 * 2.
 *
 * @see https://docs.agents.lumalabs.ai
 * @see https://docs.lumalabs.ai
 */
export const luma = defineProvider(
  {
    id: 'luma',
    title: 'Luma',
    config: z.strictObject({
      apiKey,
      baseUrl: baseUrl.optional(),
      api: z.enum(['agents', 'dream-machine']).default('agents'),
    }),
    env: { apiKey: ['LUMA_API_KEY', 'LUMA_AGENTS_API_KEY'], baseUrl: ['LUMA_BASE_URL'], api: ['LUMA_API'] },
    claims: [/^ray-(flash-)?\d/],
  },
  ({ apiKey, baseUrl, api }) => ({
    ...APIS[api],
    ...(baseUrl !== undefined && { baseUrl }),
    credential: bearer(apiKey),
    readError({ status, body }) {
      const message = text(object(body)?.['detail']) ?? `The provider responded with status ${status}.`
      if (status === 402) return { kind: 'our-quota', message }
      // Neither API returns a 404 for an unknown model.
      return status === 404 ? { kind: 'not-found', message } : undefined
    },
  }),
)
