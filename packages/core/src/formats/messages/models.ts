import type { Target } from '../../canonical/target.ts'
import { SIGNER } from './wire.ts'

/** Differences between generations of models. */
export interface ClaudeGeneration {
  /** Maximum output tokens. */
  readonly output: number
  /** Accepted `thinking`: `budget` (type `enabled`), `adaptive`, `both`, or `none`. */
  readonly thinking: 'none' | 'budget' | 'both' | 'adaptive'
  /** Way to disable thinking: `disabled`, which some reject above effort `high`; `between_tools`; or none. */
  readonly off: 'disabled' | 'disabled-up-to-high' | 'between-tools' | 'never'
  /** True if `output_config.effort` supports `xhigh`. */
  readonly xhigh: boolean
  /** True if temperature, top_p and top_k are accepted. */
  readonly sampling: boolean
  /** True if `output_config.format` and strict tools are supported. */
  readonly structured: boolean
  /** True if the conversation can contain system turns. */
  readonly midSystem: boolean
  /** True if a tool call can be forced. */
  readonly forced: boolean
}

const NEWEST: ClaudeGeneration = {
  output: 128_000,
  thinking: 'adaptive',
  off: 'disabled-up-to-high',
  xhigh: true,
  sampling: false,
  structured: true,
  midSystem: true,
  forced: true,
}

const OPUS_4_7: ClaudeGeneration = { ...NEWEST, off: 'disabled', midSystem: false }
const CLAUDE_4_6: ClaudeGeneration = { ...OPUS_4_7, thinking: 'both', xhigh: false, sampling: true }
const CLAUDE_4_5: ClaudeGeneration = { ...CLAUDE_4_6, output: 64_000, thinking: 'budget' }
const CLAUDE_4: ClaudeGeneration = { ...CLAUDE_4_5, structured: false }
const CLAUDE_3: ClaudeGeneration = { ...CLAUDE_4, output: 4096, thinking: 'none' }

/** Models of other vendors with this format, limited to features of every generation. */
const FOREIGN: ClaudeGeneration = { ...CLAUDE_4, output: 8192 }

/**
 * Generations by pattern of the model's name. The first match is used. Compiled 2026-11 from the vendor's pages on
 * thinking, effort, structured outputs and mid-conversation system messages.
 * @see https://platform.claude.com/docs/en/about-claude/models/overview
 * @see https://platform.claude.com/docs/en/build-with-claude/thinking
 * @see https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
 */
const GENERATIONS: readonly (readonly [RegExp, ClaudeGeneration])[] = [
  [/sonnet-5[-.]5/, { ...NEWEST, off: 'between-tools', forced: false }],
  [/opus-5[-.]5|(?:fable|mythos)-5[-.][1-9](?!\d)/, { ...NEWEST, off: 'never', forced: false }],
  [/fable|mythos/, { ...NEWEST, off: 'never' }],
  [/opus-4[-.]8|sonnet-5/, { ...NEWEST, off: 'disabled' }],
  [/opus-4[-.]7/, OPUS_4_7],
  [/(?:opus|sonnet)-4[-.]6/, CLAUDE_4_6],
  [/(?:opus|sonnet|haiku)-4[-.]5/, CLAUDE_4_5],
  [/opus-4[-.]1/, { ...CLAUDE_4_5, output: 32_000 }],
  [/sonnet-4(?![-.][1-9](?!\d))/, { ...CLAUDE_4, output: 64_000 }],
  [/opus-4(?![-.][1-9](?!\d))/, { ...CLAUDE_4, output: 32_000 }],
  [/3[-.]7-sonnet/, { ...CLAUDE_4, output: 64_000 }],
  [/3[-.]5-(?:sonnet|haiku)/, { ...CLAUDE_3, output: 8192 }],
  [/claude-(?:3|2|v2|instant)/, CLAUDE_3],
  [/claude|opus|sonnet|haiku/, NEWEST],
]

/** Generation of the target's model, by its name. Unknown Claude models belong to the newest generation. */
export function generationOf(target: Target): ClaudeGeneration {
  const name = target.model.toLowerCase()
  const known = GENERATIONS.find(([pattern]) => pattern.test(name))?.[1]
  const found = known ?? (target.signer === SIGNER ? NEWEST : FOREIGN)
  return target.limits?.sampling === undefined ? found : { ...found, sampling: target.limits.sampling }
}

/** Maximum output tokens of the target's model, else of its generation. */
export function outputLimit(target: Target): number {
  return target.limits?.output ?? generationOf(target).output
}
