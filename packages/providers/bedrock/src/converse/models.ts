/** Differences between the models behind Converse. */
export interface Abilities {
  /** Field of `additionalModelRequestFields` for the reasoning effort. */
  readonly thinks?: 'reasoningConfig' | 'reasoning_effort'
  /** Path of `top_k` below `additionalModelRequestFields`. */
  readonly topK?: readonly string[]
  /** `outputConfig` and strict tools enforce a schema; otherwise a forced tool call does. */
  readonly structured: boolean
  readonly caches: boolean
  readonly cachesTools: boolean
  /** The model's built-in tools, by Headgate's names. */
  readonly hosted?: Readonly<Record<string, string>>
}

const OPEN: Abilities = { structured: true, caches: false, cachesTools: false }
const NOVA: Abilities = { structured: false, caches: true, cachesTools: false, topK: ['inferenceConfig', 'topK'] }

/**
 * Abilities by model id; the first match applies. Unknown ids, for example of application inference profiles, count as
 * open models.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 * @see https://docs.aws.amazon.com/nova/latest/nova2-userguide/request-response-schema.html
 */
const MODELS: readonly (readonly [RegExp, Abilities])[] = [
  [
    /amazon\.nova-2/,
    {
      ...NOVA,
      thinks: 'reasoningConfig',
      hosted: { 'web-search': 'nova_grounding', 'code-execution': 'nova_code_interpreter' },
    },
  ],
  [/amazon\.nova/, NOVA],
  [/anthropic\.claude/, { ...OPEN, caches: true, cachesTools: true, topK: ['top_k'] }],
  [/amazon\.|meta\.|cohere\.|ai21\.|writer\./, { ...OPEN, structured: false }],
  [/openai\.gpt-oss/, { ...OPEN, thinks: 'reasoning_effort' }],
]

export function abilitiesOf(model: string): Abilities {
  return MODELS.find(([pattern]) => pattern.test(model))?.[1] ?? OPEN
}
