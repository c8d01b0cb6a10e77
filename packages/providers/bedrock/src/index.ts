import { awsEnv, awsHost, awsRegion } from '@headgate/core/credentials'
import {
  baseUrl,
  type Call,
  type ChatSupport,
  defineProvider,
  HeadgateError,
  type HttpResponse,
  type Json,
  parseExact,
  required,
  type UpstreamError,
} from '@headgate/core/provider'
import { z } from 'zod'
import { readError } from './converse/errors.ts'
import { converse } from './converse/index.ts'
import { credentialFields, credentialOf } from './credentials.ts'
import { models } from './models.ts'
import { modelsIn } from './profiles.ts'

/** Models of Anthropic, by their ids and the ids of their inference profiles. */
const isClaude = (model: string): boolean => /(?:^|[./])anthropic\.claude/.test(model)
const isOpenAI = (model: string): boolean => /^openai\.gpt-oss/.test(model)

/** Path of a model: an id, or the full ARN of a profile. */
function method(whole: string, stream: string) {
  return (call: Call): string => `/model/${encodeURIComponent(call.model)}/${call.stream ? stream : whole}`
}

/** Claude's native format, with the model in the path and the betas in the body. */
const claude: ChatSupport = {
  format: 'messages',
  speaks: isClaude,
  path: method('invoke', 'invoke-with-response-stream'),
  framing: 'aws-event-stream',
  forward: ['anthropic-beta'],
  drop: ['service_tier', 'container', 'mcp_servers', 'inference_geo'],
  patchRequest: ({ model, stream, ...body }, { headers: { 'anthropic-beta': beta } }) => ({
    ...body,
    anthropic_version: 'bedrock-2023-05-31',
    ...(beta && { anthropic_beta: beta.split(',').map((one) => one.trim()) }),
  }),
  // An exception is a separate frame.
  patchFrame: ({ json }) => (typeof json['bytes'] === 'string' ? unwrapped(json['bytes']) : json),
  responseHeaders: ['x-amzn-requestid'],
  signer: 'claude',
  facts: { imageUrls: false, pdfUrls: false },
}

function unwrapped(bytes: string): Json {
  const json = parseExact(Buffer.from(bytes, 'base64').toString('utf8'), '"input"')
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new HeadgateError('upstream', 'The provider sent a frame that is not JSON.')
  return json as Json
}

const chat: readonly ChatSupport[] = [
  claude,
  { format: 'chat-completions', speaks: isOpenAI, path: () => '/openai/v1/chat/completions' },
  {
    format: converse,
    speaks: (model) => !isClaude(model) && !isOpenAI(model),
    path: method('converse', 'converse-stream'),
    framing: 'aws-event-stream',
    responseHeaders: ['x-amzn-requestid'],
    signer: 'bedrock',
    facts: { usageInStream: 'always' },
  },
]

/** Reads a failure. Its type is in a header. */
function readFailure({ status, headers, body }: HttpResponse): UpstreamError | undefined {
  const type = headers['x-amzn-errortype']?.split(':')[0]
  if (status < 400 || type === undefined) return undefined
  const { message } = readError(status, body)
  return readError(status, { type, message })
}

const NO_CREDENTIAL =
  'neither a key nor a profile: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'

/**
 * Amazon Bedrock: Claude in messages, gpt-oss in chat completions, all others in Converse.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_Operations_Amazon_Bedrock_Runtime.html
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
export const bedrock = defineProvider(
  {
    id: 'bedrock',
    title: 'Amazon Bedrock',
    genAiName: 'aws.bedrock',
    config: z
      .strictObject({
        region: awsRegion,
        ...credentialFields,
        baseUrl: baseUrl.optional(),
      })
      .transform((given, context) => ({ ...given, credential: required(credentialOf(given), context, NO_CREDENTIAL) })),
    env: {
      region: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
      apiKey: ['BEDROCK_API_KEY', 'AWS_BEARER_TOKEN_BEDROCK'],
      ...awsEnv,
      baseUrl: ['BEDROCK_BASE_URL', 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME'],
    },
    claims: [
      /^(?:[a-z]{2,6}(?:-gov)?\.)?(?:amazon|anthropic|meta|mistral|cohere|ai21|deepseek|openai|qwen|writer)\.[a-z0-9]/,
      /^arn:aws[a-z-]*:bedrock:/,
    ],
  },
  ({ region, baseUrl = awsHost('bedrock-runtime', region), credential }) => ({
    baseUrl,
    credential,
    chat,
    known: modelsIn(region, models),
    promptCache: { longLifetimeMs: 3_600_000 },
    readError: readFailure,
  }),
)
