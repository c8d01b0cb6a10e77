import type { ModelShapes } from '../../canonical/format.ts'

/** Methods of the Gemini API by family. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  chat: ['generateContent', 'countTokens'],
  embeddings: ['embedContent'],
}

/**
 * List of models in the shape of the Gemini API.
 * @see https://ai.google.dev/api/models
 */
export const modelShapes: ModelShapes = {
  one: (model, more) => ({
    name: `models/${model.id}`,
    displayName: model.id,
    ...(model.context !== undefined && { inputTokenLimit: model.context }),
    ...(model.output !== undefined && { outputTokenLimit: model.output }),
    supportedGenerationMethods: (model.families ?? ['chat']).flatMap((family) => METHODS[family] ?? []),
    ...more,
  }),
  list: (_, models) => ({ models }),
}
