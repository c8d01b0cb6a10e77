import { chatCompletionsLimits, openAICompatibleServer } from '@headgate/core/openai-compatible'
import { defineProvider, gptImages, transcriptionAbilities } from '@headgate/core/provider'
import { config } from './credentials.ts'
import { claudeAt, foundryHosts } from './messages.ts'
import { models } from './models.ts'
import { speech } from './speech.ts'

/** Units of `x-ratelimit-reset-*` by host. */
const UNITS = { '.openai.azure.com': 'milliseconds', '.services.ai.azure.com': 'seconds' } as const

const RESPONSES_ALONE = /-pro\b|codex|deep-research|computer-use/

/**
 * Azure: chat completions, responses and embeddings of models by OpenAI and others, messages of Claude on Foundry.
 *
 * A model is the name of a deployment. A deployment with the name of its model has the facts of this model. With
 * `apiVersion`, requests use the deployment paths, otherwise the v1 API. There is no list of deployments. Filtered
 * responses end with `content_filter`, as OpenAI's do, and filtered prompts are rejected with this code.
 *
 * @see https://learn.microsoft.com/azure/foundry/openai/latest
 * @see https://learn.microsoft.com/azure/foundry/openai/reference
 * @see https://learn.microsoft.com/azure/foundry/openai/how-to/prompt-caching
 * @see https://learn.microsoft.com/azure/ai-foundry/openai/how-to/quota
 */
export const azure = defineProvider(
  {
    id: 'azure',
    title: 'Azure',
    genAiName: 'azure.ai.openai',
    config,
    env: {
      apiKey: ['AZURE_API_KEY', 'AZURE_OPENAI_API_KEY'],
      baseUrl: ['AZURE_BASE_URL', 'AZURE_OPENAI_ENDPOINT'],
      resource: ['AZURE_RESOURCE_NAME'],
      apiVersion: ['AZURE_API_VERSION', 'AZURE_OPENAI_API_VERSION'],
      tenantId: ['AZURE_TENANT_ID'],
      clientId: ['AZURE_CLIENT_ID'],
      clientSecret: ['AZURE_CLIENT_SECRET'],
      federatedTokenFile: ['AZURE_FEDERATED_TOKEN_FILE'],
      authority: ['AZURE_AUTHORITY_HOST'],
      identityEndpoint: ['IDENTITY_ENDPOINT'],
      identityHeader: ['IDENTITY_HEADER'],
    },
  },
  ({ baseUrl, credential, apiVersion, claude }) => {
    const isClaude = (model: string): boolean => model.startsWith('claude') || claude.includes(model)
    const server = openAICompatibleServer({
      baseUrl,
      credential,
      hosts: foundryHosts(baseUrl),
      ...(apiVersion
        ? { base: '/openai', deployments: true, query: { 'api-version': apiVersion } }
        : { base: '/openai/v1' }),
      speaks: (model) => !isClaude(model) && !RESPONSES_ALONE.test(model),
      // Earlier versions do not have it.
      responses: (!apiVersion || apiVersion >= '2025-03') && {
        signer: 'gpt',
        facts: { imageTool: true },
        speaks: (model) => !isClaude(model),
      },
      embeddings: { batch: 2048 },
      // JSON edits are not documented.
      images: { ...gptImages, native: { stream: true, lacks: ['response_format', 'style'] } },
      transcription: { translations: '/audio/translations', can: transcriptionAbilities },
      limitHeaders: chatCompletionsLimits(Object.entries(UNITS).find(([host]) => baseUrl.endsWith(host))?.[1]),
      speech,
      models: false,
      promptCache: { longLifetimeMs: 86_400_000 },
      known: models,
    })
    return { ...server, chat: [...(server.chat ?? []), claudeAt(baseUrl, isClaude)] }
  },
)
