import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * GitHub Models: chat completions and embeddings.
 *
 * The list of models is a catalog of another shape, at another place: what is known of models is in the package. A
 * model is `<publisher>/<model>`. Limits that GitHub sets are those of a token a day; `GITHUB_TOKEN` is not taken
 * from the environment, since it is there for much else.
 *
 * @see https://docs.github.com/en/rest/models/inference
 * @see https://docs.github.com/en/rest/models/embeddings
 */
export const githubModels = openAICompatible({
  id: 'github-models',
  title: 'GitHub Models',
  baseUrl: 'https://models.github.ai/inference',
  embeddings: true,
  models: false,
  known: models,
})
