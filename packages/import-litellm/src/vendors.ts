import type { Section } from './file.ts'
import {
  AWS_ENVIRONMENT,
  AZURE_FIELDS,
  BEDROCK_FIELDS,
  bedrockModel,
  huggingFaceModel,
  type NamedModel,
  SAGEMAKER_FIELDS,
  sagemakerModel,
  sagemakerText,
  VERTEX_FIELDS,
  type VendorField,
  WATSONX_FIELDS,
  watsonxModel,
} from './vendor-fields.ts'

/** Vendor named by the first word of LiteLLM's `model`: `groq` in `groq/llama-3.3-70b-versatile`. */
export interface LiteLLMVendor {
  /** Variables of the key if the file has none; the first set variable counts. Absent = no key is needed. */
  readonly keys?: readonly string[]
  /** True if the key is written only if the file or a variable has one. */
  readonly isKeyOptional?: true
  /** Base URL of chat completions. Absent = the file must set `api_base`. */
  readonly baseUrl?: string
  /** Variable of the base URL in LiteLLM. */
  readonly baseVariable?: string
  /** Path of chat completions after `api_base`. */
  readonly path?: string
  /** End of `api_base` that the vendor's own adapter adds itself. */
  readonly cut?: RegExp
  /** Host of the vendor. Another `api_base` belongs to another server that supports chat completions. */
  readonly host?: RegExp
  /** True if the vendor does not support chat completions and needs its own adapter. */
  readonly hasOwnFormat?: true
  /** True for a placeholder of any server that supports chat completions. */
  readonly isAnyServer?: true
  /** Fields of an adapter by LiteLLM's parameters. */
  readonly fields?: Readonly<Record<string, VendorField>>
  /** Fields of an adapter if LiteLLM's file has no credentials. A provider named like its adapter reads them itself. */
  readonly environment?: Readonly<
    Record<string, { readonly variable: string; readonly isFile?: true; readonly isOptional?: true }>
  >
  /** Fields for the adapter of any server. */
  readonly serverFields?: Readonly<Record<string, unknown>>
  /** Vendor's name of a model. */
  readonly model?: (name: string, given: Section) => NamedModel
}

const OPENAI = /^https:\/\/([\w-]+\.)?api\.openai\.com(\/|$)/

const AZURE_PATH = /\/(?:openai|models|anthropic)(?:\/.*)?$/

const OLLAMA: LiteLLMVendor = {
  keys: ['OLLAMA_API_KEY'],
  isKeyOptional: true,
  baseVariable: 'OLLAMA_API_BASE',
  baseUrl: 'http://localhost:11434/v1',
  path: '/v1',
  cut: /\/(?:v1|api)(?:\/.*)?$/,
}

const COHERE: LiteLLMVendor = { keys: ['COHERE_API_KEY', 'CO_API_KEY'], hasOwnFormat: true }

const VERTEX: LiteLLMVendor = {
  hasOwnFormat: true,
  fields: VERTEX_FIELDS,
  environment: { key: { variable: 'GOOGLE_APPLICATION_CREDENTIALS', isFile: true } },
}

/**
 * Vendors by LiteLLM's words, which are not adapter ids. The adapter is chosen among the installed ones.
 *
 * @see https://docs.litellm.ai/docs/providers
 * @see https://github.com/BerriAI/litellm/blob/main/litellm/litellm_core_utils/get_llm_provider_logic.py
 * @see https://github.com/BerriAI/litellm/blob/main/litellm/llms/openai_like/providers.json
 */
const TABLE: Readonly<Record<string, LiteLLMVendor>> = {
  openai: { keys: ['OPENAI_API_KEY'], host: OPENAI },
  custom_openai: { keys: ['OPENAI_API_KEY'], host: OPENAI },
  'text-completion-openai': { keys: ['OPENAI_API_KEY'], host: OPENAI, serverFields: { completions: true } },
  openai_like: { keys: ['OPENAI_LIKE_API_KEY'], isAnyServer: true },
  anthropic: { keys: ['ANTHROPIC_API_KEY'] },
  gemini: { keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] },
  vertex_ai: VERTEX,
  vertex_ai_beta: VERTEX,
  bedrock: {
    keys: ['AWS_BEARER_TOKEN_BEDROCK'],
    isKeyOptional: true,
    hasOwnFormat: true,
    fields: BEDROCK_FIELDS,
    environment: AWS_ENVIRONMENT,
    model: bedrockModel,
  },
  sagemaker: { hasOwnFormat: true, fields: SAGEMAKER_FIELDS, environment: AWS_ENVIRONMENT, model: sagemakerText },
  sagemaker_chat: { hasOwnFormat: true, fields: SAGEMAKER_FIELDS, environment: AWS_ENVIRONMENT, model: sagemakerModel },
  sagemaker_nova: { hasOwnFormat: true, fields: SAGEMAKER_FIELDS, environment: AWS_ENVIRONMENT, model: sagemakerModel },
  watsonx: {
    keys: ['WATSONX_APIKEY', 'WATSONX_API_KEY', 'WX_API_KEY'],
    baseVariable: 'WATSONX_URL',
    hasOwnFormat: true,
    fields: WATSONX_FIELDS,
    model: watsonxModel,
  },
  cohere: COHERE,
  cohere_chat: COHERE,
  voyage: { keys: ['VOYAGE_API_KEY'], baseUrl: 'https://api.voyageai.com/v1' },
  jina_ai: { keys: ['JINA_AI_API_KEY'], baseUrl: 'https://api.jina.ai/v1' },
  databricks: { keys: ['DATABRICKS_API_KEY'], baseVariable: 'DATABRICKS_API_BASE' },
  // https://docs.litellm.ai/docs/providers/snowflake
  snowflake: {
    keys: ['SNOWFLAKE_JWT'],
    hasOwnFormat: true,
    cut: /\/api\/v2\/.*$/,
    fields: { account_id: { field: 'account' } },
  },
  huggingface: {
    keys: ['HF_TOKEN', 'HUGGINGFACE_API_KEY'],
    baseUrl: 'https://router.huggingface.co/v1',
    host: /^https:\/\/router\.huggingface\.co(\/|$)/,
    path: '/v1',
    model: huggingFaceModel,
  },
  // https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
  azure: {
    keys: ['AZURE_API_KEY'],
    baseVariable: 'AZURE_API_BASE',
    path: '/openai/v1',
    cut: AZURE_PATH,
    fields: AZURE_FIELDS,
  },
  // A resource of Foundry has the v1 API; other endpoints are servers that speak chat completions:
  // https://docs.litellm.ai/docs/providers/azure_ai
  azure_ai: {
    keys: ['AZURE_AI_API_KEY'],
    baseVariable: 'AZURE_AI_API_BASE',
    host: /^https:\/\/[\w.-]+\.(services\.ai|openai|cognitiveservices)\.azure\.com(\/|$)/,
    cut: AZURE_PATH,
  },
  xai: { keys: ['XAI_API_KEY'], baseUrl: 'https://api.x.ai/v1' },
  groq: { keys: ['GROQ_API_KEY'], baseUrl: 'https://api.groq.com/openai/v1' },
  // https://api-docs.deepseek.com
  deepseek: { keys: ['DEEPSEEK_API_KEY'], baseUrl: 'https://api.deepseek.com' },
  mistral: { keys: ['MISTRAL_API_KEY'], baseUrl: 'https://api.mistral.ai/v1' },
  codestral: { keys: ['CODESTRAL_API_KEY'], baseUrl: 'https://codestral.mistral.ai/v1' },
  openrouter: { keys: ['OPENROUTER_API_KEY', 'OR_API_KEY'], baseUrl: 'https://openrouter.ai/api/v1' },
  // https://docs.together.ai/docs/inference/openai-compatibility
  together_ai: {
    keys: ['TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY', 'TOGETHERAI_API_KEY', 'TOGETHER_AI_TOKEN'],
    baseUrl: 'https://api.together.ai/v1',
  },
  fireworks_ai: {
    keys: ['FIREWORKS_API_KEY', 'FIREWORKS_AI_API_KEY', 'FIREWORKSAI_API_KEY', 'FIREWORKS_AI_TOKEN'],
    baseUrl: 'https://api.fireworks.ai/inference/v1',
  },
  perplexity: { keys: ['PERPLEXITYAI_API_KEY', 'PERPLEXITY_API_KEY'], baseUrl: 'https://api.perplexity.ai' },
  deepinfra: { keys: ['DEEPINFRA_API_KEY'], baseUrl: 'https://api.deepinfra.com/v1/openai' },
  cerebras: { keys: ['CEREBRAS_API_KEY'], baseUrl: 'https://api.cerebras.ai/v1' },
  sambanova: { keys: ['SAMBANOVA_API_KEY'], baseUrl: 'https://api.sambanova.ai/v1' },
  nvidia_nim: {
    keys: ['NVIDIA_NIM_API_KEY'],
    baseVariable: 'NVIDIA_NIM_API_BASE',
    baseUrl: 'https://integrate.api.nvidia.com/v1',
  },
  meta_llama: { keys: ['LLAMA_API_KEY'], baseUrl: 'https://api.llama.com/compat/v1' },
  moonshot: { keys: ['MOONSHOT_API_KEY'], baseUrl: 'https://api.moonshot.ai/v1' },
  dashscope: { keys: ['DASHSCOPE_API_KEY'], baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1' },
  volcengine: { keys: ['VOLCENGINE_API_KEY'], baseUrl: 'https://ark.cn-beijing.volces.com/api/v3' },
  ai21: { keys: ['AI21_API_KEY'], baseUrl: 'https://api.ai21.com/studio/v1' },
  ai21_chat: { keys: ['AI21_API_KEY'], baseUrl: 'https://api.ai21.com/studio/v1' },
  friendliai: { keys: ['FRIENDLIAI_API_KEY', 'FRIENDLI_TOKEN'], baseUrl: 'https://api.friendli.ai/serverless/v1' },
  featherless_ai: { keys: ['FEATHERLESS_AI_API_KEY'], baseUrl: 'https://api.featherless.ai/v1' },
  nscale: { keys: ['NSCALE_API_KEY'], baseUrl: 'https://inference.api.nscale.com/v1' },
  nebius: { keys: ['NEBIUS_API_KEY'], baseUrl: 'https://api.studio.nebius.ai/v1' },
  lambda_ai: { keys: ['LAMBDA_API_KEY'], baseUrl: 'https://api.lambda.ai/v1' },
  hyperbolic: { keys: ['HYPERBOLIC_API_KEY'], baseUrl: 'https://api.hyperbolic.xyz/v1' },
  vercel_ai_gateway: { keys: ['VERCEL_AI_GATEWAY_API_KEY'], baseUrl: 'https://ai-gateway.vercel.sh/v1' },
  wandb: { keys: ['WANDB_API_KEY'], baseUrl: 'https://api.inference.wandb.ai/v1' },
  v0: { keys: ['V0_API_KEY'], baseUrl: 'https://api.v0.dev/v1' },
  morph: { keys: ['MORPH_API_KEY'], baseUrl: 'https://api.morphllm.com/v1' },
  poe: { keys: ['POE_API_KEY'], baseUrl: 'https://api.poe.com/v1' },
  chutes: { keys: ['CHUTES_API_KEY'], baseUrl: 'https://llm.chutes.ai/v1' },
  veniceai: { keys: ['VENICE_AI_API_KEY'], baseUrl: 'https://api.venice.ai/api/v1' },
  scaleway: { keys: ['SCW_SECRET_KEY'], baseUrl: 'https://api.scaleway.ai/v1' },
  aihubmix: { keys: ['AIHUBMIX_API_KEY'], baseUrl: 'https://aihubmix.com/v1' },
  github: { keys: ['GITHUB_API_KEY'], baseUrl: 'https://models.inference.ai.azure.com' },
  litellm_proxy: { keys: ['LITELLM_PROXY_API_KEY'], baseVariable: 'LITELLM_PROXY_API_BASE' },
  ollama: OLLAMA,
  ollama_chat: OLLAMA,
  hosted_vllm: { keys: ['HOSTED_VLLM_API_KEY'], isKeyOptional: true, baseVariable: 'HOSTED_VLLM_API_BASE' },
  lm_studio: { baseVariable: 'LM_STUDIO_API_BASE' },
  llamafile: { baseUrl: 'http://127.0.0.1:8080/v1' },
  xinference: { baseVariable: 'XINFERENCE_API_BASE' },
}

export const VENDORS: ReadonlyMap<string, LiteLLMVendor> = new Map(Object.entries(TABLE))

/** Ids without a vendor word that LiteLLM assigns to one vendor, but that another vendor's adapter claims here. */
export const BARE: readonly (readonly [RegExp, string])[] = [[/^gemini-/, 'vertex_ai']]
