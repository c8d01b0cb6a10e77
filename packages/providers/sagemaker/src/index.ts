import { awsEnv, awsFields, awsHost, awsRegion } from '@headgate/core/credentials'
import { baseUrl, defineProvider, required } from '@headgate/core/provider'
import { z } from 'zod'
import { chat } from './chat.ts'
import { credentialOf } from './credentials.ts'
import { readError } from './errors.ts'

const NO_CREDENTIAL = 'there are neither keys nor a profile: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'

/**
 * Amazon SageMaker AI: chat completions of the endpoints of a region, as the containers of vLLM, of LMI (DJL Serving)
 * and of TGI answer them.
 *
 * A model is an endpoint, or `<endpoint>/<inference component>`, which a header names; the body names none. Requests
 * are signed. A stream has a path of its own, and is an event stream of AWS: its payloads together are events of the
 * server, or JSON lines as LMI writes them, wherever they are cut. The output limit is `max_tokens`. What a container
 * answered in place of an answer is in `ModelError`, with its status; failures within a stream are exceptions.
 * Endpoints are not listed, and what they cost is not counted by tokens: there are neither facts nor prices.
 *
 * @see https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpoint.html
 * @see https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpointWithResponseStream.html
 * @see https://docs.djl.ai/docs/serving/serving/docs/lmi/user_guides/chat_input_output_schema.html
 */
export const sagemaker = defineProvider(
  {
    id: 'sagemaker',
    title: 'Amazon SageMaker AI',
    enable: 'asked',
    config: z
      .strictObject({ region: awsRegion, ...awsFields, baseUrl: baseUrl.optional() })
      .transform((given, context) => ({ ...given, credential: required(credentialOf(given), context, NO_CREDENTIAL) })),
    env: {
      region: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
      ...awsEnv,
      baseUrl: ['SAGEMAKER_BASE_URL', 'AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME'],
    },
  },
  ({ region, baseUrl = awsHost('runtime.sagemaker', region), credential }) => ({
    baseUrl,
    credential,
    chat: [chat],
    readError,
  }),
)
