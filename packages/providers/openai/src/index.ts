import { endpoint, endpointEnv, openAICompatibleServer, readModel } from '@headgate/core/openai-compatible'
import { defineProvider, type ModelFacts } from '@headgate/core/provider'
import { z } from 'zod'
import { models } from './models.ts'

/**
 * What neither chat completions nor embeddings serve. `-pro`, codex and deep research models speak only the Responses API.
 * The name of a fine-tuned model says nothing: its owner chose it.
 */
const ELSEWHERE =
  /^(?!ft:).*(-pro\b|codex|deep-research|computer-use|image|dall-e|sora|tts|whisper|transcribe|realtime|moderation|instruct|babbage|davinci)/

/** Whom a base URL of another host leads to, and what is signed there, is not known. */
const OWN_HOST = /^https:\/\/([\w-]+\.)?api\.openai\.com(\/|$)/

const DATED = /-\d{4}-\d\d-\d\d$/

const known = new Set(models.map(({ id }) => id))

/** What a model is for, where its name says it. Of fine-tuned ones it does not, and a server of another vendor has any. */
function familiesOf(id: string): readonly string[] | undefined {
  if (/^text-embedding-/.test(id)) return ['embeddings']
  return /^(gpt-\d|gpt-audio|chatgpt-|o\d+(-|$))/.test(id) ? ['chat'] : undefined
}

/** Its facts are known under its own name, or it is a snapshot of a model. */
function factsOf(id: string): Partial<ModelFacts> {
  if (known.has(id)) return {}
  const origin = id.replace(DATED, '')
  const families = familiesOf(id)
  return { ...(families && { families }), ...(known.has(origin) && { is: origin }) }
}

/**
 * OpenAI: chat completions and embeddings.
 *
 * Its list of models has everything that the key may use: what only other APIs serve is left out. A dated snapshot has the
 * facts and price of its model, unless it has its own. `organization` and `project` say who pays, where a key may choose.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
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
    }),
    env: { ...endpointEnv('openai'), organization: ['OPENAI_ORG_ID'], project: ['OPENAI_PROJECT_ID'] },
    claims: [/^(ft:)?gpt-(\d|audio)/, /^chatgpt-/, /^o\d+(-|$)/, /^text-embedding-(3-|ada-)/],
  },
  ({ organization, project, ...server }) =>
    openAICompatibleServer({
      ...server,
      ...(OWN_HOST.test(server.baseUrl) && { signer: 'gpt' }),
      headers: { ...(organization && { 'openai-organization': organization }), ...(project && { 'openai-project': project }) },
      embeddings: { batch: 2048 },
      known: models.filter(({ id }) => !ELSEWHERE.test(id)),
      models(entry) {
        const model = readModel(entry)
        if (!model || ELSEWHERE.test(model.id)) return undefined
        return { ...factsOf(model.id), id: model.id }
      },
    }),
)
