import { endpoint, endpointEnv, openAICompatibleServer, readModel } from '@headgate/core/openai-compatible'
import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { models } from './models.ts'

/** What only other APIs serve. The name of a fine-tuned model says nothing: its owner chose it. */
const ELSEWHERE = /^(?!ft:).*(image|dall-e|sora|tts|whisper|transcribe|realtime|moderation)/

/** Whom a base URL of another host leads to, and what is signed there, is not known. */
const OWN_HOST = /^https:\/\/([\w-]+\.)?api\.openai\.com(\/|$)/

/**
 * What a model is for, where its name says it. Of fine-tuned ones it does not, and a server of another vendor has any.
 */
const FAMILIES = [
  [/^text-embedding-/, 'embeddings'],
  [/^(gpt-\d|gpt-audio|chatgpt-|o\d+(-|$)|(babbage|davinci)-002$)/, 'chat'],
] as const

/**
 * OpenAI: chat completions, responses, legacy completions and embeddings. `-pro`, codex and deep research models speak
 * responses only, whoever calls, and `gpt-3.5-turbo-instruct`, `babbage-002` and `davinci-002` legacy completions only.
 * `responses: false` is for a server behind another base URL that has no such path.
 *
 * Its list of models has everything that the key may use: what only other APIs serve is left out. A dated snapshot has
 * the facts and price of its model, unless it has its own. `organization` and `project` say who pays, where a key may
 * choose.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 * @see https://platform.openai.com/docs/api-reference/responses
 * @see https://platform.openai.com/docs/api-reference/completions
 * @see https://platform.openai.com/docs/api-reference/authentication
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
      /^(ft:)?gpt-(\d|audio)/,
      /^chatgpt-/,
      /^o\d+(-|$)/,
      /^(ft:)?(babbage|davinci)-002/,
      /^text-embedding-(3-|ada-)/,
    ],
  },
  ({ organization, project, responses, ...server }) =>
    openAICompatibleServer({
      ...server,
      ...(OWN_HOST.test(server.baseUrl) && { signer: 'gpt' }),
      headers: {
        ...(organization && { 'openai-organization': organization }),
        ...(project && { 'openai-project': project }),
      },
      speaks: (model) => !/^(?!ft:).*(-pro\b|codex|deep-research|computer-use)/.test(model),
      // Other models refuse `web_search_options`.
      facts: (model) => ({ webSearch: /search-(preview|api)/.test(model) }),
      responses: responses && {
        signer: 'gpt',
        speaks: (model) => !/^(?!ft:).*(audio|search-preview|search-api)/.test(model),
      },
      completions: { only: /^(ft:)?(gpt-3\.5-turbo-instruct|(babbage|davinci)-002)/ },
      embeddings: { batch: 2048 },
      known: models,
      models(entry) {
        const model = readModel(entry)
        if (!model || ELSEWHERE.test(model.id)) return undefined
        const family = FAMILIES.find(([name]) => name.test(model.id))?.[1]
        return { id: model.id, is: model.id.replace(/-\d{4}-\d\d-\d\d$/, ''), ...(family && { families: [family] }) }
      },
    }),
)
