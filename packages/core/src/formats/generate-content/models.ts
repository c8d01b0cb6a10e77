import type { Target } from '../../canonical/target.ts'

/** Thinking levels in ascending order. */
export type Level = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH'

/** Thinking settings of a model: none, a number of tokens, or a level. */
export type Thinking =
  | { readonly by: 'nothing' }
  | { readonly by: 'budget'; readonly min: number; readonly max: number; readonly off: boolean }
  | { readonly by: 'level'; readonly levels: readonly Level[] }

/** Differences between generations of models. */
export interface GeminiGeneration {
  readonly thinking: Thinking
  /** True if `parametersJsonSchema` and `responseJsonSchema` are supported; otherwise only the OpenAPI subset is. */
  readonly jsonSchema: boolean
  /** True if the function calling mode `VALIDATED` is supported. */
  readonly validated: boolean
  /** True if the first function call of a turn must have a signature. */
  readonly signedCalls: boolean
  /** True if function responses can contain images and documents. */
  readonly toolMedia: boolean
  /** True if parts can have a media resolution. */
  readonly resolution: boolean
  /** True if the Gemini API supports presence and frequency penalties. Vertex AI always does. */
  readonly penalties: boolean
  /** True if system instructions are supported. */
  readonly system: boolean
}

const NO_THINKING: Thinking = { by: 'nothing' }

const FIRST: GeminiGeneration = {
  thinking: NO_THINKING,
  jsonSchema: false,
  validated: false,
  signedCalls: false,
  toolMedia: false,
  resolution: false,
  penalties: true,
  system: true,
}
const SECOND: GeminiGeneration = { ...FIRST, jsonSchema: true }
const SECOND_AND_HALF: GeminiGeneration = {
  ...SECOND,
  thinking: { by: 'budget', min: 0, max: 24_576, off: true },
  validated: true,
  penalties: false,
}
const THIRD: GeminiGeneration = {
  ...SECOND_AND_HALF,
  thinking: { by: 'level', levels: ['LOW', 'MEDIUM', 'HIGH'] },
  signedCalls: true,
  toolMedia: true,
  resolution: true,
  penalties: true,
}

/**
 * Generations by pattern of the model's name. The first match is used; other models belong to the newest generation.
 * Sources, read in November 2026: https://ai.google.dev/gemini-api/docs/thinking (levels and budgets),
 * https://ai.google.dev/gemini-api/docs/thought-signatures, https://ai.google.dev/gemini-api/docs/structured-output,
 * https://ai.google.dev/gemini-api/docs/function-calling.
 */
const GENERATIONS: readonly (readonly [RegExp, GeminiGeneration])[] = [
  [/gemma-[123]/, { ...FIRST, system: false }],
  [/gemma-/, { ...FIRST, jsonSchema: true }],
  [/gemini-1[.-]|gemini-pro(-vision)?$/, FIRST],
  [/gemini-2\.0/, SECOND],
  [/gemini-2\.5-flash-image/, { ...SECOND_AND_HALF, thinking: NO_THINKING }],
  [/gemini-2\.5-flash-lite/, { ...SECOND_AND_HALF, thinking: { by: 'budget', min: 512, max: 24_576, off: true } }],
  [/gemini-2\.5-pro/, { ...SECOND_AND_HALF, thinking: { by: 'budget', min: 128, max: 32_768, off: false } }],
  [/gemini-2\.5|gemini-robotics-er-1\.5/, SECOND_AND_HALF],
  [/gemini-3-pro-image/, { ...THIRD, thinking: { by: 'budget', min: 0, max: 32_768, off: true } }],
  [/gemini-3-pro/, { ...THIRD, thinking: { by: 'level', levels: ['LOW', 'HIGH'] } }],
  [
    /gemini-3(\.[0-6])?-flash|gemini-[3-9][^/]*-flash-lite/,
    { ...THIRD, thinking: { by: 'level', levels: ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] } },
  ],
]

/** Generation of the target's model, by its name. */
export function generationOf({ model }: Target): GeminiGeneration {
  const name = model.toLowerCase()
  return GENERATIONS.find(([pattern]) => pattern.test(name))?.[1] ?? THIRD
}
