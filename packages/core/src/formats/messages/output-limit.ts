import type { OutputLimit } from '../../canonical/format.ts'

/** @see https://platform.claude.com/docs/en/api/messages/create */
export const outputLimit: OutputLimit = {
  name: 'max_tokens',
  advice: 'max_tokens and a whole number of answers',
  names: { outputs: ['max_tokens'], counts: [] },
  edits: (_body, _target, tokens) => [{ path: ['max_tokens'], value: tokens }],
}
