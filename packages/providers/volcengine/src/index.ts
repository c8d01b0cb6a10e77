import { endpoint, endpointEnv, openAICompatibleServer, readModel } from '@headgate/core/openai-compatible'
import { defineProvider, object } from '@headgate/core/provider'
import { z } from 'zod'
import { imageModels, images } from './images.ts'
import { models } from './models.ts'
import { readError, video } from './video.ts'

/** Families of a model by its task types. Models of other types, such as vectors, are ignored. */
const FAMILIES = [
  [/Video/, 'video'],
  [/ToImage|ImageGeneration/, 'images'],
  [/TextGeneration|VisualQuestionAnswering/, 'chat'],
] as const

const env = endpointEnv('volcengine')

/**
 * Volcengine Ark, and BytePlus ModelArk by its base URL: videos of Seedance, in the wire format of callers, images of
 * Seedream, and chat completions.
 *
 * The model list has the tasks of each model. Retired models, and models with other tasks, are ignored.
 *
 * @see https://www.volcengine.com/docs/82379/1520757
 * @see https://docs.byteplus.com/en/docs/ModelArk/1520757
 */
export const volcengine = defineProvider(
  {
    id: 'volcengine',
    title: 'Volcengine',
    config: z.strictObject(endpoint('https://ark.cn-beijing.volces.com/api/v3')),
    env: { apiKey: ['ARK_API_KEY', ...env.apiKey], baseUrl: ['ARK_BASE_URL', ...env.baseUrl] },
    claims: [/^(doubao|dreamina)-/, /^seedance-\d/],
  },
  (server) => ({
    ...openAICompatibleServer({
      ...server,
      images,
      known: knownModels(/\.bytepluses\.com(\/|:|$)/.test(server.baseUrl)),
      readError,
      models(entry) {
        const model = readModel({ ...object(entry['token_limits']), id: entry['id'] })
        const tasks = [entry['task_type']].flat().filter((type) => typeof type === 'string')
        const families = FAMILIES.flatMap(([type, family]) => (tasks.some((task) => type.test(task)) ? [family] : []))
        if (!model || entry['status'] === 'Shutdown' || (tasks.length > 0 && families.length === 0)) return undefined
        return tasks.length > 0 ? { ...model, families } : model
      },
    }),
    video,
  }),
)

function knownModels(isBytePlus: boolean) {
  return [...models(isBytePlus), ...imageModels(isBytePlus)]
}
