import type { Target } from '../../canonical/target.ts'

/** Levels of thinking, weakest first. */
export type Level = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH'

/** How much a model thinks is set by nothing, by a number of tokens, or by a level. */
export type Thinking =
  | { readonly by: 'nothing' }
  | { readonly by: 'budget'; readonly min: number; readonly max: number; readonly off: boolean }
  | { readonly by: 'level'; readonly levels: readonly Level[] }

/** What differs between the generations of models. */
export interface Generation {
  readonly thinking: Thinking
  /** `parametersJsonSchema` and `responseJsonSchema` are understood; otherwise only the OpenAPI subset. */
  readonly jsonSchema: boolean
  /** The function calling mode `VALIDATED` is understood. */
  readonly validated: boolean
  /** A function call in the history is refused when the first of its turn has no signature. */
  readonly signedCalls: boolean
  /** Images and documents may stand inside a function response. */
  readonly toolMedia: boolean
  /** Media resolution may be set per part. */
  readonly resolution: boolean
  /** The Gemini API takes presence and frequency penalties for it (Vertex does for all). */
  readonly penalties: boolean
  /** A system instruction is understood. */
  readonly system: boolean
}

const NO_THINKING: Thinking = { by: 'nothing' }

const FIRST: Generation = {
  thinking: NO_THINKING,
  jsonSchema: false,
  validated: false,
  signedCalls: false,
  toolMedia: false,
  resolution: false,
  penalties: true,
  system: true,
}
const SECOND: Generation = { ...FIRST, jsonSchema: true }
const SECOND_AND_HALF: Generation = {
  ...SECOND,
  thinking: { by: 'budget', min: 0, max: 24_576, off: true },
  validated: true,
  penalties: false,
}
const THIRD: Generation = {
  ...SECOND_AND_HALF,
  thinking: { by: 'level', levels: ['LOW', 'MEDIUM', 'HIGH'] },
  signedCalls: true,
  toolMedia: true,
  resolution: true,
  penalties: true,
}

/**
 * By pattern of the model's name, the first that matches; a model that none matches is of the newest generation.
 *
 * Sources, read in November 2026: https://ai.google.dev/gemini-api/docs/thinking (levels and budgets),
 * https://ai.google.dev/gemini-api/docs/thought-signatures, https://ai.google.dev/gemini-api/docs/structured-output,
 * https://ai.google.dev/gemini-api/docs/function-calling.
 */
const GENERATIONS: readonly (readonly [RegExp, Generation])[] = [
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

/** How requests are written for the target: by the name of its model. */
export function generationOf({ model }: Target): Generation {
  const name = model.toLowerCase()
  return GENERATIONS.find(([pattern]) => pattern.test(name))?.[1] ?? THIRD
}
