import { apiKey, baseUrl, defineProvider, required } from '@headgate/core/provider'

import { z } from 'zod'
import { chatAt } from './chat.ts'
import { iam } from './credentials.ts'
import { embeddingsAt } from './embeddings.ts'
import { readError } from './errors.ts'
import { listAt } from './list.ts'
import { placeOf } from './place.ts'
import { rerankAt } from './rerank.ts'

const id = z.string().regex(/^[\w-]+$/, 'must be an id: 4947c695-a374-428c-acca-332c1a1dc9e9')

/**
 * IBM watsonx.ai: chat, embeddings and reranking of the foundation models of a region, and the live list of them.
 *
 * Requests carry a token that IBM Cloud's identity service gives for a key, and name a project or a deployment space.
 * Chat is chat completions in which the model is `model_id`, a stream has a path of its own, and `tool_choice` is an
 * object: its words stand in
 * `tool_choice_option`. Fields that the reference does not name are left out; `developer` goes up as `system`, a single
 * `stop` as a list.
 * `time_limit`, `reasoning_effort` and `include_reasoning` go up as they are, and reasoning comes in
 * `reasoning_content`. Pictures go up as data, and files are refused. A stream has its usage unasked, and events named
 * `message` of which none is `[DONE]`: callers get them without the name, and the end. Errors are a list, `errors`; an
 * answer that took too long ends with `time_limit`, which callers get as `length`.
 *
 * @see https://cloud.ibm.com/apidocs/watsonx-ai
 * @see https://www.ibm.com/docs/en/watsonx/saas?topic=code-chat
 */
export const watsonx = defineProvider(
  {
    id: 'watsonx',
    title: 'IBM watsonx.ai',
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
        place: required(
          placeOf(given),
          context,
          'there is neither a project nor a space: set WATSONX_PROJECT_ID',
          'projectId',
        ),
      })),
    env: {
      apiKey: ['WATSONX_API_KEY', 'WATSONX_APIKEY', 'WATSONX_AI_APIKEY'],
      projectId: ['WATSONX_PROJECT_ID', 'WATSONX_AI_PROJECT_ID'],
      spaceId: ['WATSONX_SPACE_ID'],
      baseUrl: ['WATSONX_BASE_URL', 'WATSONX_URL', 'WATSONX_AI_SERVICE_URL'],
    },
  },
  ({ apiKey, baseUrl, iamUrl, place }) => {
    const credential = iam(iamUrl, apiKey)
    const families = {
      chat: [chatAt(place)],
      embeddings: embeddingsAt(place),
      rerank: rerankAt(place),
      models: listAt(place),
    }
    return { baseUrl, credential, readError, ...families }
  },
)
