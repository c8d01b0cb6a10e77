import { apiKey, baseUrl, defineProvider, required } from '@headgate/core/provider'

import { z } from 'zod'
import { chatAt } from './chat.ts'
import { iam } from './credentials.ts'
import { embeddingsAt } from './embeddings.ts'
import { readError } from './errors.ts'
import { listAt } from './list.ts'
import { rerankAt } from './rerank.ts'
import { scopeOf } from './scope.ts'

const id = z.string().regex(/^[\w-]+$/, 'must be an id: 4947c695-a374-428c-acca-332c1a1dc9e9')

/**
 * IBM watsonx.ai: chat, embeddings and reranking of a region's foundation models, and their live list.
 *
 * Requests have a token of IBM Cloud's identity service, and name a project or a deployment space. Chat is chat
 * completions with these differences: the model is `model_id`, streams have a separate path, `tool_choice` is an
 * object, with its string values in `tool_choice_option`. Fields that the reference does not name are dropped;
 * `developer` is sent as `system`, a single `stop` as a list. `time_limit`, `reasoning_effort` and `include_reasoning`
 * are forwarded, and reasoning is in `reasoning_content`. Images are sent as data, and files are rejected. A stream
 * always reports usage, and its events are named `message` without a final `[DONE]`: callers get them unnamed, with
 * `[DONE]`. Errors are a list, `errors`. A response that took too long ends with `time_limit`, which callers get as
 * `length`.
 *
 * @see https://cloud.ibm.com/apidocs/watsonx-ai
 * @see https://www.ibm.com/docs/en/watsonx/saas?topic=code-chat
 */
export const watsonx = defineProvider(
  {
    id: 'watsonx',
    title: 'IBM watsonx.ai',
    genAiName: 'ibm.watsonx.ai',
    config: z
      .strictObject({
        apiKey,
        projectId: id.optional(),
        spaceId: id.optional(),
        baseUrl: baseUrl.default('https://us-south.ml.cloud.ibm.com'),
        version: z.iso.date().default('2025-10-01'),
        iamUrl: baseUrl.default('https://iam.cloud.ibm.com'),
      })
      .transform((given, context) => ({
        ...given,
        scope: required(scopeOf(given), context, 'neither a project nor a space: set WATSONX_PROJECT_ID', 'projectId'),
      })),
    env: {
      apiKey: ['WATSONX_API_KEY', 'WATSONX_APIKEY', 'WATSONX_AI_APIKEY'],
      projectId: ['WATSONX_PROJECT_ID', 'WATSONX_AI_PROJECT_ID'],
      spaceId: ['WATSONX_SPACE_ID'],
      baseUrl: ['WATSONX_BASE_URL', 'WATSONX_URL', 'WATSONX_AI_SERVICE_URL'],
    },
  },
  ({ apiKey, baseUrl, iamUrl, scope }) => {
    const credential = iam(iamUrl, apiKey)
    const families = {
      chat: [chatAt(scope)],
      embeddings: embeddingsAt(scope),
      rerank: rerankAt(scope),
      models: listAt(scope),
    }
    return { baseUrl, credential, readError, ...families }
  },
)
