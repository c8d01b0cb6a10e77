import { z } from 'zod'
import { serviceAccount } from '../../../src/credentials.ts'
import { baseUrl, type Call, defineProvider } from '../../../src/provider.ts'

const isClaude = (model: string): boolean => model.startsWith('claude-')
const isOpen = (model: string): boolean => model.includes('/')

/** Three publishers by `speaks`, a service account whose key is a file, and a header that moves into the body. */
export const vertex = defineProvider(
  {
    id: 'vertex',
    title: 'Vertex AI',
    config: z.strictObject({ project: z.string(), location: z.string(), key: z.string(), baseUrl: baseUrl.optional() }),
    env: {
      project: ['GOOGLE_CLOUD_PROJECT'],
      location: ['GOOGLE_CLOUD_LOCATION', 'GOOGLE_CLOUD_REGION'],
      key: [
        { file: 'GOOGLE_APPLICATION_CREDENTIALS', default: '~/.config/gcloud/application_default_credentials.json' },
      ],
      baseUrl: ['VERTEX_BASE_URL'],
    },
  },
  ({ project, location, key, ...given }) => {
    const home = `/v1/projects/${project}/locations/${location}`
    const path = (publisher: string, unary: string, stream: string) => (call: Call) =>
      `${home}/publishers/${publisher}/models/${call.model}:${call.stream ? stream : unary}`
    return {
      baseUrl: given.baseUrl ?? `https://${location}-aiplatform.googleapis.com`,
      credential: serviceAccount(key, 'https://www.googleapis.com/auth/cloud-platform'),
      chat: [
        { format: 'chat-completions', speaks: isOpen, path: () => `${home}/endpoints/openapi/chat/completions` },
        {
          format: 'messages',
          speaks: isClaude,
          path: path('anthropic', 'rawPredict', 'streamRawPredict'),
          forward: ['anthropic-beta'],
          patchRequest: ({ model, ...body }, { headers: { 'anthropic-beta': beta } }) => ({
            ...body,
            anthropic_version: 'vertex-2023-10-16',
            ...(beta && { anthropic_beta: beta.split(',') }),
          }),
          signer: 'claude',
        },
        {
          format: 'generate-content',
          speaks: (model) => !isOpen(model) && !isClaude(model),
          path: path('google', 'generateContent', 'streamGenerateContent?alt=sse'),
          signer: 'gemini',
          facts: { usageInStream: 'always' },
        },
      ],
    }
  },
)
