import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Moonshot AI: chat completions of Kimi, messages, forwarded unchanged, and the live model list.
 *
 * The role `developer` is sent as `system`. Reasoning is in `reasoning_content`, in responses and in requests; with
 * tool calls, requests must contain it. An exhausted quota and an overloaded engine have the status of a rate limit and
 * differ by their types.
 *
 * @see https://platform.kimi.ai/docs/api/chat
 * @see https://platform.kimi.ai/docs/api/errors
 * @see https://platform.kimi.ai/docs/api/overview
 * @see https://platform.kimi.ai/docs/pricing/limits
 */
export const moonshot = openAICompatible({
  id: 'moonshot',
  title: 'Moonshot AI',
  genAiName: 'moonshot_ai',
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
  limitHeaders: [{ unit: 'requests', reset: 'msh-cooldown-seconds', resetAs: 'seconds' }],
})
