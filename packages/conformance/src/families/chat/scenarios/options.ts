import type { Json } from '@headgate/core/provider'
import type { FormatId } from '../meaning.ts'

/**
 * Options of a request as each format's reference has them, no two of one value: what they are for is of no matter
 * here.
 */
export const options: Readonly<Record<FormatId, Json>> = {
  'chat-completions': {
    temperature: 0.31,
    top_p: 0.83,
    frequency_penalty: 0.21,
    presence_penalty: 0.12,
    max_completion_tokens: 321,
    stop: ['§'],
    seed: 41,
    logit_bias: { '50256': -7 },
    top_logprobs: 3,
    user: 'user-of-the-test',
    metadata: { purpose: 'test' },
    service_tier: 'default',
    reasoning_effort: 'low',
    verbosity: 'high',
    prompt_cache_key: 'cache-of-the-test',
    safety_identifier: 'safety-of-the-test',
  },
  messages: {
    system: 'Be brief.',
    temperature: 0.31,
    top_p: 0.83,
    top_k: 41,
    stop_sequences: ['§'],
    metadata: { user_id: 'user-of-the-test' },
    service_tier: 'standard_only',
  },
  responses: {
    instructions: 'Be brief.',
    temperature: 0.31,
    top_p: 0.83,
    max_output_tokens: 321,
    max_tool_calls: 5,
    top_logprobs: 3,
    metadata: { purpose: 'test' },
    service_tier: 'default',
    reasoning: { effort: 'low' },
    text: { verbosity: 'high' },
    prompt_cache_key: 'cache-of-the-test',
    safety_identifier: 'safety-of-the-test',
  },
  'generate-content': {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' }],
    labels: { purpose: 'test' },
    generationConfig: {
      temperature: 0.31,
      topP: 0.83,
      topK: 40,
      seed: 41,
      maxOutputTokens: 321,
      stopSequences: ['§'],
      frequencyPenalty: 0.21,
      presencePenalty: 0.12,
    },
  },
}
