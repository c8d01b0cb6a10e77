import type { OutputLimit } from '../../canonical/format.ts'

export const outputLimit: OutputLimit = {
  name: 'max_tokens',
  edit: (_body, _target, tokens) => ({ path: ['max_tokens'], value: tokens }),
}
