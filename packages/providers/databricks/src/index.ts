import { openAICompatibleServer } from '@headgate/core/openai-compatible'
import { defineProvider } from '@headgate/core/provider'
import { NOT_ACCEPTED } from './accepted.ts'
import { config, env } from './credentials.ts'
import { list } from './list.ts'
import { isClaude, messages } from './messages.ts'
import { models } from './models.ts'

/**
 * Databricks: chat completions and embeddings of serving endpoints, messages of Databricks-hosted Claude, and the live
 * list of endpoints.
 *
 * A model is an endpoint. Fields that the reference does not name are dropped. The output limit is `max_tokens`. The
 * role `developer` is sent as `system`. Reasoning is a chunk of the content.
 *
 * @see https://docs.databricks.com/aws/en/machine-learning/foundation-model-apis/api-reference
 * @see https://docs.databricks.com/aws/en/machine-learning/model-serving/query-reason-models
 */
export const databricks = defineProvider(
  { id: 'databricks', title: 'Databricks', config, env, claims: [/^databricks-/] },
  ({ baseUrl, credential }) => {
    const server = openAICompatibleServer({
      baseUrl,
      credential,
      base: '/serving-endpoints',
      known: models,
      speaks: (model) => !isClaude(model),
      systemOnly: true,
      thoughtChunks: 'reasoning',
      embeddings: { batch: 150, tokens: false },
      rename: { max_completion_tokens: 'max_tokens' },
      drop: NOT_ACCEPTED,
    })
    return { ...server, chat: [...(server.chat ?? []), messages], models: list }
  },
)
