import type { ModelShapes } from '../../canonical/format.ts'

/**
 * List of models in OpenAI's shape.
 * @see https://platform.openai.com/docs/api-reference/models/list
 */
export const modelShapes: ModelShapes = {
  // An unknown date is 0 (1970), since typed clients require a number.
  one: (model, more) => ({
    id: model.id,
    object: 'model',
    created: model.created ?? 0,
    owned_by: model.providers[0] ?? 'headgate',
    ...more,
    ...(model.context !== undefined && { context_length: model.context }),
    ...(model.output !== undefined && { max_output_tokens: model.output }),
  }),
  list: (_, data) => ({ object: 'list', data }),
}
