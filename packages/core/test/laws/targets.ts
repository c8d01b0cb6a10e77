import type { Format } from '../../src/canonical/format.ts'
import type { Target } from '../../src/canonical/target.ts'
import { formats } from '../../src/formats/index.ts'

/** A format, and a model behind it. */
export interface Direction {
  readonly format: Format
  readonly target: Target
}

const MODELS: Readonly<Record<string, { readonly signer?: string; readonly models: readonly string[] }>> = {
  'chat-completions': { models: ['gpt-4o', 'gpt-5.4'] },
  messages: { signer: 'claude', models: ['claude-sonnet-4-5', 'claude-opus-4-8'] },
  'generate-content': { signer: 'gemini', models: ['gemini-2.5-flash', 'gemini-3.5-flash'] },
  responses: { signer: 'gpt', models: ['gpt-4o', 'gpt-5.4'] },
}

/** Every format of core. */
export const FORMATS: readonly Format[] = [...formats.values()]

/** Every format of core with an older and a newer model. */
export const DIRECTIONS: readonly Direction[] = FORMATS.flatMap((format) => {
  const { signer, models = [] } = MODELS[format.id] ?? {}
  return models.map((model) => ({ format, target: { model, signer } }))
})
