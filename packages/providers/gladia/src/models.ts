import type { ModelFacts } from '@headgate/core/provider'

/**
 * Models. Prices depend on the plan of the account, so they are unknown until you set them.
 * @see https://www.gladia.io/pricing
 */
export const models: readonly ModelFacts[] = [
  { id: 'solaria-1', families: ['transcription'] },
  { id: 'solaria-3', families: ['transcription'] },
]
