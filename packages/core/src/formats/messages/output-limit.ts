import type { OutputLimit } from '../../canonical/format.ts'

/**
 * Output limits of the format.
 * @see https://platform.claude.com/docs/en/api/messages/create
 */
export const outputLimit: OutputLimit = {
  name: 'max_tokens',
  advice: 'max_tokens, and an integer as number of choices',
  names: { outputs: ['max_tokens'], counts: [] },
  edits: (_body, _target, tokens) => [{ path: ['max_tokens'], value: tokens }],
}
