import type { OutputLimit } from '../../canonical/format.ts'

export const outputLimit: OutputLimit = {
  name: 'max_output_tokens',
  edit: (_body, _target, tokens) => ({ path: ['max_output_tokens'], value: tokens }),
}
