import { z } from 'zod'
import { clientCredentials } from '../../../src/credentials.ts'
import { openAICompatibleServer } from '../../../src/openai-compatible.ts'
import { baseUrl, type Credential, defineProvider } from '../../../src/provider.ts'

const Entra = z.strictObject({ tenant: z.string(), clientId: z.string(), clientSecret: z.string() })

const Config = z.strictObject({
  baseUrl,
  apiKey: z.string().optional(),
  entra: Entra.optional(),
  /** Deployments, each with the model that it is. */
  deployments: z.record(z.string(), z.string()).default({}),
  /** Absent = the v1 API, which needs none. */
  apiVersion: z.string().optional(),
})

function credentialOf({ apiKey, entra }: z.output<typeof Config>): Credential {
  if (!entra) return apiKey === undefined ? { kind: 'none' } : { kind: 'header', name: 'api-key', value: apiKey }
  const { tenant, ...client } = entra
  const tokenUrl = `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`
  return clientCredentials({ tokenUrl, ...client, scope: 'https://cognitiveservices.azure.com/.default' })
}

/**
 * Deployments and the v1 API, by a key or by Entra: the facts and the price of a deployment are those of what it `is`.
 */
export const azure = defineProvider(
  {
    id: 'azure',
    title: 'Azure OpenAI',
    config: Config,
    env: { apiKey: ['AZURE_OPENAI_API_KEY'], baseUrl: ['AZURE_OPENAI_ENDPOINT'] },
  },
  (config) => {
    const { baseUrl, deployments, apiVersion } = config
    const isV1 = apiVersion === undefined
    return openAICompatibleServer({
      baseUrl,
      credential: credentialOf(config),
      path: (model) =>
        isV1 ? '/openai/v1/chat/completions' : `/openai/deployments/${encodeURIComponent(model)}/chat/completions`,
      ...(!isV1 && { query: { 'api-version': apiVersion } }),
      models: false,
      known: Object.entries(deployments).map(([id, is]) => ({ id, is })),
      signer: 'gpt',
    })
  },
)
