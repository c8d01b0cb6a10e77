import type { ModelShapes } from '../../canonical/format.ts'

/**
 * List of models in the vendor's shape. Unknown dates are 1970-01-01, and other unknown values null.
 * @see https://platform.claude.com/docs/en/api/models/list
 */
export const modelShapes: ModelShapes = {
  one: (model, more) => ({
    type: 'model',
    id: model.id,
    display_name: model.id,
    created_at: new Date((model.created ?? 0) * 1000).toISOString(),
    max_input_tokens: model.context ?? null,
    max_tokens: model.output ?? null,
    ...more,
  }),
  list: (models, data) => ({
    data,
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  }),
}
