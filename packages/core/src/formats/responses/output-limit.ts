import type { OutputLimit } from '../../canonical/format.ts'

/** @see https://platform.openai.com/docs/api-reference/responses/create */
export const outputLimit: OutputLimit = {
  name: 'max_output_tokens',
  names: { outputs: ['max_output_tokens'], counts: [] },
  edits: (_body, _target, tokens) => [{ path: ['max_output_tokens'], value: tokens }],
}
