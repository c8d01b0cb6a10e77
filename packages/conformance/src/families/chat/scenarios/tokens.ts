/** Token counts of a response, from which every vendor's usage is written. */
export interface Count {
  /** Includes cached tokens. */
  readonly input: number
  /** Includes reasoning. */
  readonly output: number
  readonly cacheRead?: number
  readonly reasoning?: number
}

/** Model that responses report; it differs from the requested name. */
export const REPORTED_MODEL = 'example-model-2026-01-01'

/** Creation time of responses: Unix time in seconds. */
export const CREATED = 1_767_225_600
