import type { Effort } from '../../canonical/request.ts'
import type { Target } from '../../canonical/target.ts'

/** Fields that not every model generation supports. */
export interface GptGeneration {
  /** Matches the model's id, after any `vendor/` or `ft:`. */
  readonly pattern: RegExp
  /** Supported values of `reasoning_effort`, in ascending order. Empty: the field is rejected. */
  readonly efforts: readonly Effort[]
  /** True if `max_tokens` is rejected in favor of `max_completion_tokens`. */
  readonly completionTokens?: boolean
  /** True if the model does not reason without an effort. */
  readonly restsUnasked?: boolean
  /** Condition under which temperature and similar parameters are rejected. */
  readonly sampling?: 'refused' | 'refused-while-reasoning'
  /** True if `stop` is rejected. */
  readonly noStop?: boolean
  /** True if `parallel_tool_calls` is rejected. */
  readonly noParallelTools?: boolean
  /** True if `prompt_cache_breakpoint` is supported. */
  readonly breakpoints?: boolean
}

/**
 * OpenAI's model generations. The first match is used.
 * @see https://platform.openai.com/docs/guides/reasoning
 * @see https://platform.openai.com/docs/guides/latest-model (both read 2026-11)
 */
const GENERATIONS: readonly GptGeneration[] = [
  { pattern: /^gpt-5[^/]*-chat|^chatgpt/, efforts: [], completionTokens: true },
  { pattern: /^gpt-[34]/, efforts: [] },
  {
    pattern: /^o[1-9](-|$)/,
    efforts: ['low', 'medium', 'high'],
    completionTokens: true,
    sampling: 'refused',
    noStop: true,
    noParallelTools: true,
  },
  {
    pattern: /^gpt-5(-|$)/,
    efforts: ['minimal', 'low', 'medium', 'high'],
    completionTokens: true,
    sampling: 'refused',
    noStop: true,
  },
  {
    pattern: /^gpt-5\.1(-\d|$)/,
    efforts: ['none', 'low', 'medium', 'high'],
    completionTokens: true,
    sampling: 'refused-while-reasoning',
    restsUnasked: true,
  },
  {
    pattern: /^gpt-5\.1/,
    efforts: ['none', 'low', 'medium', 'high'],
    completionTokens: true,
    sampling: 'refused-while-reasoning',
  },
  {
    pattern: /^gpt-5\.[24](-mini|-nano)?(-\d|$)/,
    efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
    completionTokens: true,
    sampling: 'refused-while-reasoning',
    restsUnasked: true,
  },
  {
    pattern: /^gpt-5\.[2-5]/,
    efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
    completionTokens: true,
    sampling: 'refused-while-reasoning',
  },
  {
    pattern: /^gpt-([5-9]|[1-9]\d)/,
    efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
    completionTokens: true,
    sampling: 'refused-while-reasoning',
    breakpoints: true,
  },
]

/** Models of servers that imitate the vendor, with the fields that all of them support. */
const OTHER: GptGeneration = { pattern: /^/, efforts: ['low', 'medium', 'high'] }

/** Generation of the target's model, by its name. */
export function generationOf({ model }: Target): GptGeneration {
  const id = model.slice(model.lastIndexOf('/') + 1).replace(/^ft:/, '')
  return GENERATIONS.find((generation) => generation.pattern.test(id)) ?? OTHER
}

/** True for a model of the vendor. */
export function isVendorModel(generation: GptGeneration): boolean {
  return generation !== OTHER
}

/** True if free-text tools must be sent as functions, since servers that imitate the vendor do not support them. */
export function hasFunctionsOnly(target: Target): boolean {
  return !isVendorModel(generationOf(target))
}

/** Field that limits the output of the target's model. */
export function maxTokensField(
  target: Target,
  { completionTokens }: GptGeneration,
): 'max_tokens' | 'max_completion_tokens' {
  return target.facts?.maxTokens ?? (completionTokens ? 'max_completion_tokens' : 'max_tokens')
}

/** True if the target's model rejects temperature and similar parameters at this effort. */
export function refusesSampling(
  target: Target,
  { sampling, restsUnasked }: GptGeneration,
  effort: Effort | undefined,
): boolean {
  const known = target.limits?.sampling
  if (known !== undefined) return !known
  const rests = effort === 'none' || (effort === undefined && restsUnasked === true)
  return sampling === 'refused' || (sampling === 'refused-while-reasoning' && !rests)
}
