import { openAICompatibleServer } from '@headgate/core/openai-compatible'
import { defineProvider } from '@headgate/core/provider'
import { config, env } from './credentials.ts'
import { embeddings } from './embeddings.ts'
import { emptyValues } from './empty-values.ts'
import { messages } from './messages.ts'
import { models } from './models.ts'

/**
 * Snowflake Cortex: chat completions of all models, messages of Claude, and embeddings.
 *
 * Absent fields of a response have empty values, and finish reasons are missing: both are normalized. The model
 * list.
 *
 * @see https://docs.snowflake.com/en/user-guide/snowflake-cortex/cortex-rest-api
 */
export const snowflake = defineProvider(
  { id: 'snowflake', title: 'Snowflake Cortex', config, env },
  ({ baseUrl, apiKey }) => {
    const server = openAICompatibleServer({
      baseUrl,
      apiKey,
      base: '/api/v2/cortex/v1',
      ...emptyValues,
      models: false,
      known: models,
    })
    return { ...server, chat: [...(server.chat ?? []), messages], embeddings }
  },
)
