import {
  chatCompletionsLimits,
  endpoint,
  endpointEnv,
  openAICompatibleServer,
  readModel,
} from '@headgate/core/openai-compatible'
import { defineProvider, gptImages, transcriptionAbilities } from '@headgate/core/provider'
import { z } from 'zod'
import { imageModels } from './image-models.ts'
import { listedModel } from './listed-models.ts'
import { models } from './models.ts'
import { otherModels } from './other-models.ts'
import { speakers, speechAbilities } from './speech-models.ts'

/** Models of other APIs. Names of fine-tuned models are chosen by their owner, so they do not count. */
const OTHER_APIS = /^(?!ft:).*(dall-e|sora|realtime)/

/** Models with responses only, and models without responses. */
const RESPONSES_ONLY = /^(?!ft:).*(-pro\b|codex|deep-research|computer-use)/
const NO_RESPONSES = /^(?!ft:).*(audio|search-preview|search-api)/

/** Only this host is known to sign reasoning. */
const OWN_HOST = /^https:\/\/([\w-]+\.)?api\.openai\.com(\/|$)/

/**
 * OpenAI: chat completions, responses, legacy completions, embeddings, images, speech, transcription and moderations.
 * `-pro`, codex and deep research models only support responses, for callers of every format;
 * `gpt-3.5-turbo-instruct`, `babbage-002` and `davinci-002` only support legacy completions. `responses: false` is for a server without this path behind another base URL.
 *
 * The model list has all models of the key; models of other APIs are ignored. A dated snapshot has the facts and price
 * of its model, unless it has separate ones. `organization` and `project` select the billing account for keys with
 * several.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 * @see https://platform.openai.com/docs/api-reference/responses
 * @see https://platform.openai.com/docs/api-reference/completions
 * @see https://platform.openai.com/docs/api-reference/authentication
 * @see https://platform.openai.com/docs/guides/prompt-caching
 * @see https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers
 */
export const openai = defineProvider(
  {
    id: 'openai',
    title: 'OpenAI',
    config: z.strictObject({
      ...endpoint('https://api.openai.com/v1'),
      organization: z.string().min(1).optional(),
      project: z.string().min(1).optional(),
      responses: z.boolean().default(true),
    }),
    env: { ...endpointEnv('openai'), organization: ['OPENAI_ORG_ID'], project: ['OPENAI_PROJECT_ID'] },
    claims: [
      /^(ft:)?(gpt-(\d|audio|image)|(babbage|davinci)-002)/,
      /^tts-1/,
      /^(chatgpt-|o\d+(-|$))/,
      /^text-embedding-(3-|ada-)/,
    ],
  },
  ({ organization, project, responses, ...server }) =>
    openAICompatibleServer({
      ...server,
      ...(OWN_HOST.test(server.baseUrl) && { signer: 'gpt' }),
      headers: { 'openai-organization': organization, 'openai-project': project },
      speaks: (model) => !RESPONSES_ONLY.test(model),
      // Other models reject `web_search_options`.
      facts: (model) => ({ webSearch: /search-(preview|api)/.test(model) }),
      responses: responses && {
        signer: 'gpt',
        facts: { imageTool: true },
        speaks: (model) => !NO_RESPONSES.test(model),
      },
      completions: { only: /^(ft:)?(gpt-3\.5-turbo-instruct|(babbage|davinci)-002)/ },
      embeddings: { batch: 2048 },
      moderations: { images: (model) => model.startsWith('omni-') },
      transcription: { translations: '/audio/translations', can: transcriptionAbilities },
      limitHeaders: chatCompletionsLimits('duration', { refills: true }),
      promptCache: { longLifetimeMs: 86_400_000 },
      images: gptImages,
      speech: { can: speechAbilities },
      known: [...models, ...otherModels, ...speakers, ...imageModels],
      ignoreModels: OTHER_APIS,
      models: (entry) => listedModel(readModel(entry)),
    }),
)
