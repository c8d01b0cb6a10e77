import type { Effort } from '../../canonical/request.ts'
import type { Target } from '../../canonical/target.ts'

/** How a generation of models takes the fields that not every model takes. */
export interface Generation {
  /** Matches the model's id, after any `vendor/` or `ft:`. */
  readonly pattern: RegExp
  /** The levels of `reasoning_effort`, in rising order; empty = the field is refused. */
  readonly efforts: readonly Effort[]
  /** `max_tokens` is refused in favor of `max_completion_tokens`. */
  readonly completionTokens?: boolean
  /** Whether the model does not reason where the request has no effort. */
  readonly restsUnasked?: boolean
  /** When temperature and its like are refused. */
  readonly sampling?: 'refused' | 'refused-while-reasoning'
  /** `stop` is refused. */
  readonly noStop?: boolean
  /** `parallel_tool_calls` is refused. */
  readonly noParallelTools?: boolean
  /** `prompt_cache_breakpoint` is known. */
  readonly breakpoints?: boolean
}

/**
 * The first that matches holds.
 *
 * @see https://platform.openai.com/docs/guides/reasoning
 * @see https://platform.openai.com/docs/guides/latest-model (both read 2026-11)
 */
const GENERATIONS: readonly Generation[] = [
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

/** A model of a server that imitates the vendor: the fields that all of them take. */
const OTHER: Generation = { pattern: /^/, efforts: ['low', 'medium', 'high'] }

/** How requests are written for the target: by the name of its model. */
export function generationOf({ model }: Target): Generation {
  const id = model.slice(model.lastIndexOf('/') + 1).replace(/^ft:/, '')
  return GENERATIONS.find((generation) => generation.pattern.test(id)) ?? OTHER
}

/** Whether the model is one of the vendor's own, rather than one behind a server that imitates it. */
export function isVendorModel(generation: Generation): boolean {
  return generation !== OTHER
}

/** Whether tools that take free text go up as functions: servers that imitate the vendor know no others. */
export function hasFunctionsOnly(target: Target): boolean {
  return !isVendorModel(generationOf(target))
}

/** Name of the field that limits the output of the target's model. */
export function maxTokensField(
  target: Target,
  { completionTokens }: Generation,
): 'max_tokens' | 'max_completion_tokens' {
  return target.facts?.maxTokens ?? (completionTokens ? 'max_completion_tokens' : 'max_tokens')
}

/** Whether the target's model refuses temperature and its like, given the effort that is asked of it. */
export function refusesSampling(
  target: Target,
  { sampling, restsUnasked }: Generation,
  effort: Effort | undefined,
): boolean {
  const known = target.limits?.sampling
  if (known !== undefined) return !known
  const rests = effort === 'none' || (effort === undefined && restsUnasked === true)
  return sampling === 'refused' || (sampling === 'refused-while-reasoning' && !rests)
}
