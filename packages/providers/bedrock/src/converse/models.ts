/** What of Converse differs by the model behind it. */
export interface Abilities {
  /** The field of `additionalModelRequestFields` by which it is told how much to think. */
  readonly thinks?: 'reasoningConfig' | 'reasoning_effort'
  /** Where `top_k` goes, below `additionalModelRequestFields`. */
  readonly topK?: readonly string[]
  /** Whether `outputConfig` and strict tools hold it to a schema; otherwise a tool that must be called does. */
  readonly structured: boolean
  readonly caches: boolean
  readonly cachesTools: boolean
  /** Tools of its own, by Headgate's words. */
  readonly hosted?: Readonly<Record<string, string>>
}

const OPEN: Abilities = { structured: true, caches: false, cachesTools: false }
const NOVA: Abilities = { structured: false, caches: true, cachesTools: false, topK: ['inferenceConfig', 'topK'] }

/**
 * First match decides; what is not known, such as an application's inference profile, counts as an open model.
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
