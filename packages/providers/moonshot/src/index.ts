import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Moonshot AI: chat completions of Kimi, messages as they are, and the live list of models.
 *
 * The role `developer` is not known: it goes up as `system`. Reasoning stands in `reasoning_content`, and is taken
 * back there, which calls of tools need while it thinks.
 * A used-up account and an overloaded engine come with the status of a limit, and are told apart by their types.
 *
 * @see https://platform.kimi.ai/docs/api/chat
 * @see https://platform.kimi.ai/docs/api/errors
 * @see https://platform.kimi.ai/docs/api/overview
 */
export const moonshot = openAICompatible({
  id: 'moonshot',
  title: 'Moonshot AI',
  baseUrl: 'https://api.moonshot.ai/v1',
  claims: [/^moonshot-v1-/],
  messages: '/anthropic/v1/messages',
  systemOnly: true,
  facts: { reasoning: 'reasoning_content' },
  errors: {
    exceeded_current_quota_error: 'our-quota',
    engine_overloaded_error: 'overloaded',
    content_filter: 'content-policy',
  },
  known: models,
})
