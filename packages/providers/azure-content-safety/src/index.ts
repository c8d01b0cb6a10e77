import { apiKey, baseUrl, defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { moderationsAbove } from './moderations.ts'

/**
 * Azure AI Content Safety: moderations of text and images.
 *
 * The model is `content-safety`. Severities are from 0 to 7; a category applies from `threshold` on. Images must be data
 * URLs. Blocklists are not used.
 *
 * @see https://learn.microsoft.com/azure/ai-services/content-safety/overview
 */
export const azureContentSafety = defineProvider(
  {
    id: 'azure-content-safety',
    title: 'Azure Content Safety',
    config: z.strictObject({ apiKey, baseUrl, threshold: z.int().min(1).max(7).default(4) }),
    env: {
      apiKey: ['AZURE_CONTENT_SAFETY_API_KEY', 'CONTENT_SAFETY_KEY'],
      baseUrl: ['AZURE_CONTENT_SAFETY_BASE_URL', 'CONTENT_SAFETY_ENDPOINT'],
    },
  },
  ({ apiKey: value, baseUrl: address, threshold }) => ({
    baseUrl: address,
    credential: { kind: 'header', name: 'Ocp-Apim-Subscription-Key', value },
    moderations: moderationsAbove(threshold),
    known: [{ id: 'content-safety', families: ['moderations'] }],
  }),
)
