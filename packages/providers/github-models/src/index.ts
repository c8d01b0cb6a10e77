import { chatCompletionsLimits, openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * GitHub Models: chat completions and embeddings.
 *
 * The model list is a catalog with another shape at another URL: facts of models are in the package. A model is
 * `<publisher>/<model>`. GitHub's limits apply to a token per day. `GITHUB_TOKEN` is not read from the environment,
 * because it has many other uses.
 *
 * @see https://docs.github.com/en/rest/models/inference
 * @see https://docs.github.com/en/rest/models/embeddings
 * @see https://docs.github.com/en/github-models/use-github-models/prototyping-with-ai-models#rate-limits
 */
export const githubModels = openAICompatible({
  id: 'github-models',
  title: 'GitHub Models',
  baseUrl: 'https://models.github.ai/inference',
  embeddings: true,
  models: false,
  known: models,
  limitHeaders: chatCompletionsLimits(),
})
