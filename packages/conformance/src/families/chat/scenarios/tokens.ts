/** Tokens of an answer, as every vendor's usage is written from. */
export interface Count {
  /** With what was read from a cache. */
  readonly input: number
  /** With reasoning. */
  readonly output: number
  readonly cacheRead?: number
  readonly reasoning?: number
}

/** The model that answers report: not the name by which it was asked for. */
export const REPORTED_MODEL = 'example-model-2026-01-01'

/** When answers were made: Unix time in seconds. */
export const CREATED = 1_767_225_600
