import { awsEnv, awsFields, awsHost, awsRegion } from '@headgate/core/credentials'
import { baseUrl, defineProvider, required } from '@headgate/core/provider'
import { z } from 'zod'
import { chat } from './chat.ts'
import { credentialOf } from './credentials.ts'
import { readError } from './errors.ts'

const NO_CREDENTIAL = 'neither keys nor a profile: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'

/**
 * Amazon SageMaker AI: chat completions of a region's endpoints with containers of vLLM, LMI (DJL Serving) or TGI.
 *
 * A model is an endpoint, or `<endpoint>/<inference component>`; a header names the component, and the body has no
 * model. Requests are signed. Streams have a separate path and are AWS event streams: their payloads form server-sent
 * events, or JSON lines from LMI, split anywhere. The output limit is `max_tokens`. An error of the container is a
 * `ModelError` with its status; failures within a stream are exceptions. Endpoints are not listed, and their cost does
 * not depend on tokens: there are neither facts nor prices.
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
