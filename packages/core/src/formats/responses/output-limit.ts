import type { OutputLimit } from '../../canonical/format.ts'

/** Minimum limit of the vendor, in tokens. */
export const LEAST_TOKENS = 16

/**
 * Output limits of the format.
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
export const outputLimit: OutputLimit = {
  name: 'max_output_tokens',
  advice: 'max_output_tokens',
  names: { outputs: ['max_output_tokens'], counts: [] },
  least: LEAST_TOKENS,
  edits: (_body, _target, tokens) => [{ path: ['max_output_tokens'], value: tokens }],
}
