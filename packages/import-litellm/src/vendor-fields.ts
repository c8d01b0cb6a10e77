import type { Section } from './file.ts'

/** Field of an adapter's configuration for a LiteLLM parameter. */
export interface VendorField {
  readonly field: string
  /** Variables that LiteLLM uses if the file has no value. Absent = the field is optional. */
  readonly variables?: readonly string[]
  /** True if the field is omitted when none of `variables` is set. */
  readonly isOptional?: true
  /** Default value. */
  readonly usual?: string
  /** Fields that make it unnecessary. */
  readonly unless?: readonly string[]
  /** True for a credential, which is never copied. */
  readonly isSecret?: true
  /** True if the field is the content of a credentials file. LiteLLM's parameter is a path, JSON or a section. */
  readonly isFile?: true
}

/** Vendor's name for a LiteLLM model name. */
export interface NamedModel {
  readonly model: string
  /** Model behind an ARN. */
  readonly is?: string
  /** Fields from LiteLLM's model name. */
  readonly fields?: Readonly<Record<string, string>>
  /** Difference to LiteLLM. */
  readonly otherwise?: string
  /** Reason why it cannot be served. */
  readonly left?: string
}

/** @see https://docs.litellm.ai/docs/providers/bedrock#all-possible-auth-params */
const AWS: Readonly<Record<string, VendorField>> = {
  aws_access_key_id: { field: 'accessKeyId', isSecret: true },
  aws_secret_access_key: { field: 'secretAccessKey', isSecret: true },
  aws_session_token: { field: 'sessionToken', isSecret: true },
  aws_profile_name: { field: 'profile' },
}

const REGION: VendorField = { field: 'region', variables: ['AWS_REGION_NAME', 'AWS_REGION'] }

export const BEDROCK_FIELDS: Readonly<Record<string, VendorField>> = {
  aws_region_name: REGION,
  aws_bedrock_runtime_endpoint: { field: 'baseUrl' },
  ...AWS,
}

export const SAGEMAKER_FIELDS: Readonly<Record<string, VendorField>> = { aws_region_name: REGION, ...AWS }

/** Variables of AWS credentials that adapters read if the file has none. */
export const AWS_ENVIRONMENT = {
  accessKeyId: { variable: 'AWS_ACCESS_KEY_ID' },
  secretAccessKey: { variable: 'AWS_SECRET_ACCESS_KEY' },
  sessionToken: { variable: 'AWS_SESSION_TOKEN', isOptional: true },
} as const

/** @see https://docs.litellm.ai/docs/providers/vertex */
export const VERTEX_FIELDS: Readonly<Record<string, VendorField>> = {
  vertex_project: { field: 'project', variables: ['VERTEXAI_PROJECT'] },
  vertex_location: { field: 'location', variables: ['VERTEXAI_LOCATION'], usual: 'us-central1' },
  vertex_credentials: { field: 'key', isFile: true },
}

/** @see https://docs.litellm.ai/docs/providers/azure */
export const AZURE_FIELDS: Readonly<Record<string, VendorField>> = {
  api_version: { field: 'apiVersion', variables: ['AZURE_API_VERSION'], isOptional: true },
  tenant_id: { field: 'tenantId' },
  client_id: { field: 'clientId' },
  client_secret: { field: 'clientSecret', isSecret: true },
}

/** @see https://docs.litellm.ai/docs/providers/watsonx */
export const WATSONX_FIELDS: Readonly<Record<string, VendorField>> = {
  space_id: { field: 'spaceId' },
  project_id: { field: 'projectId', variables: ['WATSONX_PROJECT_ID'], unless: ['spaceId'] },
}

/** Route that LiteLLM writes before a Bedrock id to select the API or the format of an imported model. */
const ROUTE = /^(?:(?:converse|converse_like|invoke|openai|nova|nova-2|llama|deepseek_r1|qwen2|qwen3)\/)+/
const NO_MODEL = /^(?:agent|agentcore|async_invoke|mantle)\//

/**
 * Bedrock model without route, region and commitment; `model_id` replaces it.
 * @see https://docs.litellm.ai/docs/providers/bedrock
 */
export function bedrockModel(name: string, { model_id: id }: Section): NamedModel {
  if (NO_MODEL.test(name))
    return { model: name, left: 'is an agent or an API of Bedrock that Headgate does not support' }
  const [, region, bare = ''] =
    /^(?:([a-z]{2}(?:-gov)?-[a-z]+-\d)\/)?(?:\d-month-commitment\/)?(.+)$/.exec(name.replace(ROUTE, '')) ?? []
  const model = typeof id === 'string' && id !== '' ? id : bare
  const place = region ?? /^arn:aws[a-z-]*:bedrock:([a-z0-9-]+):/.exec(model)?.[1]
  const isInvoke = name.startsWith('invoke/') && !/anthropic\.claude/.test(model)
  return {
    model,
    ...(model !== bare && { is: bare }),
    ...(place !== undefined && { fields: { region: place } }),
    ...(isInvoke && { otherwise: 'requests use Converse instead of InvokeModel' }),
  }
}

/**
 * SageMaker model. An inference component is its second part. @see https://docs.litellm.ai/docs/providers/aws_sagemaker
 */
export function sagemakerModel(name: string, { model_id: component }: Section): NamedModel {
  return { model: typeof component === 'string' && component !== '' ? `${name}/${component}` : name }
}

export function sagemakerText(name: string, given: Section): NamedModel {
  return {
    ...sagemakerModel(name, given),
    otherwise: 'requests are chat completions, as with `sagemaker_chat/`: the endpoint must support them',
  }
}

export function watsonxModel(name: string): NamedModel {
  return name.startsWith('deployment/')
    ? { model: name, left: 'is a deployment of a space: use the foundation model instead' }
    : { model: name }
}

/**
 * Hugging Face model: `<provider>/<owner>/<model>` is `<owner>/<model>:<provider>` at the router. @see
 * https://docs.litellm.ai/docs/providers/huggingface
 */
export function huggingFaceModel(name: string): NamedModel {
  const [, provider, model] = /^([^/]+)\/([^/]+\/[^/]+)$/.exec(name) ?? []
  return { model: provider !== undefined && model !== undefined ? `${model}:${provider}` : name }
}
