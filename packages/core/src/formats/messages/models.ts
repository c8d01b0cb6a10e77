import type { Target } from '../../canonical/target.ts'
import { SIGNER } from './wire.ts'

/** How a request must be written for a generation of models. */
export interface Generation {
  /** Most output tokens. */
  readonly output: number
  /** Which `thinking` is accepted: `budget` (type `enabled`), `adaptive`, `both`, or `none`. */
  readonly thinking: 'none' | 'budget' | 'both' | 'adaptive'
  /**
   * How thinking is switched off: `disabled`, which some refuse above effort `high`; `between_tools`; or not at all.
   */
  readonly off: 'disabled' | 'disabled-up-to-high' | 'between-tools' | 'never'
  /** Whether `output_config.effort` knows `xhigh`. */
  readonly xhigh: boolean
  /** Whether temperature, top_p and top_k are accepted. */
  readonly sampling: boolean
  /** Whether `output_config.format` and strict tools are known. */
  readonly structured: boolean
  /** Whether system turns may stand within the conversation. */
  readonly midSystem: boolean
  /** Whether a tool call may be forced. */
  readonly forced: boolean
}

const NEWEST: Generation = {
  output: 128_000,
  thinking: 'adaptive',
  off: 'disabled-up-to-high',
  xhigh: true,
  sampling: false,
  structured: true,
  midSystem: true,
  forced: true,
}

const OPUS_4_7: Generation = { ...NEWEST, off: 'disabled', midSystem: false }
const CLAUDE_4_6: Generation = { ...OPUS_4_7, thinking: 'both', xhigh: false, sampling: true }
const CLAUDE_4_5: Generation = { ...CLAUDE_4_6, output: 64_000, thinking: 'budget' }
const CLAUDE_4: Generation = { ...CLAUDE_4_5, structured: false }
const CLAUDE_3: Generation = { ...CLAUDE_4, output: 4096, thinking: 'none' }

/** Models of other makers behind this format: nothing is assumed of them but what every generation had. */
const FOREIGN: Generation = { ...CLAUDE_4, output: 8192 }

/**
 * First match decides. Compiled 2026-11 from the vendor's pages on thinking, effort, structured outputs and
 * mid-conversation system messages.
 *
 * @see https://platform.claude.com/docs/en/about-claude/models/overview
 * @see https://platform.claude.com/docs/en/build-with-claude/thinking
 * @see https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
 */
const GENERATIONS: readonly (readonly [RegExp, Generation])[] = [
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

/**
 * How requests are written for the target: by the name of its model; a Claude that is not known counts as the newest.
 */
export function generationOf(target: Target): Generation {
  const name = target.model.toLowerCase()
  const known = GENERATIONS.find(([pattern]) => pattern.test(name))?.[1]
  const found = known ?? (target.signer === SIGNER ? NEWEST : FOREIGN)
  return target.limits?.sampling === undefined ? found : { ...found, sampling: target.limits.sampling }
}

/** Most output tokens of the target: what is known of the model, else its generation's. */
export function outputLimit(target: Target): number {
  return target.limits?.output ?? generationOf(target).output
}
