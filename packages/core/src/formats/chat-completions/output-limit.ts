import type { OutputLimit } from '../../canonical/format.ts'
import { generationOf, maxTokensField } from './models.ts'

export const outputLimit: OutputLimit = {
  name: 'max_tokens',
  edit: (_body, target, tokens) => ({ path: [maxTokensField(target, generationOf(target))], value: tokens }),
}
