/** Whom the first word of LiteLLM's `model` names: `groq` of `groq/llama-3.3-70b-versatile`. */
export interface Vendor {
  /** Variables that LiteLLM takes the key from where the file names none; the first that is set. Absent = it needs none. */
  readonly keys?: readonly string[]
  /** Where it speaks chat completions. Absent = the file has to say it in `api_base`. */
  readonly baseUrl?: string
  /** A variable that LiteLLM takes the base URL from. */
  readonly baseVariable?: string
  /** What chat completions have behind `api_base`. */
  readonly path?: string
  /** Its own host: under an `api_base` elsewhere is just any server that speaks chat completions. */
  readonly host?: RegExp
  /** Fields of an adapter by LiteLLM's parameters, with the variable that LiteLLM takes each from. */
  readonly fields?: Readonly<Record<string, { readonly field: string; readonly variable: string }>>
  /** What to do where no adapter for it is installed. */
  readonly advice?: string
}

const OPENAI = /^https:\/\/([\w-]+\.)?api\.openai\.com(\/|$)/

/**
 * The words of LiteLLM, not ids of adapters: which adapter serves one is found out among those that are installed.
 *
 * @see https://docs.litellm.ai/docs/providers
 * @see https://github.com/BerriAI/litellm/blob/main/litellm/litellm_core_utils/get_llm_provider_logic.py
 * @see https://github.com/BerriAI/litellm/blob/main/litellm/llms/openai_like/providers.json
 */
const TABLE: Readonly<Record<string, Vendor>> = {
  openai: { keys: ['OPENAI_API_KEY'], host: OPENAI },
  custom_openai: { keys: ['OPENAI_API_KEY'], host: OPENAI },
  openai_like: { keys: ['OPENAI_LIKE_API_KEY'] },
  anthropic: { keys: ['ANTHROPIC_API_KEY'] },
  gemini: { keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] },
  vertex_ai: {
    keys: ['GOOGLE_APPLICATION_CREDENTIALS'],
    fields: {
      vertex_project: { field: 'project', variable: 'VERTEXAI_PROJECT' },
      vertex_location: { field: 'location', variable: 'VERTEXAI_LOCATION' },
    },
    advice: 'Install its adapter (`npm install @headgate/provider-vertex`) and import again.',
  },
  // https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
  azure: { keys: ['AZURE_API_KEY'], baseVariable: 'AZURE_API_BASE', path: '/openai/v1' },
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
  nvidia_nim: { keys: ['NVIDIA_NIM_API_KEY'], baseUrl: 'https://integrate.api.nvidia.com/v1' },
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
  ollama: { baseUrl: 'http://localhost:11434/v1', path: '/v1' },
  ollama_chat: { baseUrl: 'http://localhost:11434/v1', path: '/v1' },
  hosted_vllm: { baseVariable: 'HOSTED_VLLM_API_BASE' },
  lm_studio: { baseVariable: 'LM_STUDIO_API_BASE' },
  llamafile: { baseUrl: 'http://127.0.0.1:8080/v1' },
  xinference: { baseVariable: 'XINFERENCE_API_BASE' },
}

export const VENDORS: ReadonlyMap<string, Vendor> = new Map(Object.entries(TABLE))

/** Ids without a first word that LiteLLM takes for those of a vendor, where ours are claimed by another one's adapter. */
export const BARE: readonly (readonly [RegExp, string])[] = [[/^gemini-/, 'vertex_ai']]
