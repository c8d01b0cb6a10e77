/** A model that several providers serve under different ids. */
export interface ConfirmedModel {
  /** Shared name. With a date, only ids with this date are the model. */
  readonly key: string
  /** Page or catalog that identifies the model in the ids of providers. */
  readonly source: string
  /** Package of the model's vendor. Its context and inputs are the measure for others. Default: the median. */
  readonly vendor?: string
  /** Date of the snapshot that ids without a date name, as its vendor documents it. Default: no dated id. */
  readonly snapshot?: string
  /** True if ids with `-preview` are the model. Set if there is no other release. */
  readonly preview?: true
  /** Bits of the published weights. With 16, providers of {@link MIXED_PRECISION} are left out. */
  readonly weights?: 16
}

/**
 * Ids before 4.6 have a date; their aliases point to it. Ids since 4.6 are pinned, although they have no date. The page
 * also has the ids at Bedrock and Vertex AI.
 */
const CLAUDE = 'https://platform.claude.com/docs/en/about-claude/models/model-ids-and-versions'
/** The page of each model has its default snapshot. */
const OPENAI = 'https://developers.openai.com/api/docs/models'
/** Names, release dates and base models of the catalog. The ids of open models repeat the id of their weights. */
const LISTED = 'models.dev@2026-07-02'

/** Models whose ids were compared one by one. Only these get a shared name. */
// biome-ignore format: one line a model
export const CONFIRMED: readonly ConfirmedModel[] = [
  { key: 'claude-3-haiku', source: CLAUDE, vendor: 'anthropic', snapshot: '20240307' },
  { key: 'claude-3-5-haiku', source: CLAUDE, vendor: 'anthropic', snapshot: '20241022' },
  { key: 'claude-fable-5', source: CLAUDE, vendor: 'anthropic' },
  { key: 'claude-haiku-4-5', source: CLAUDE, vendor: 'anthropic', snapshot: '20251001' },
  { key: 'claude-opus-4', source: CLAUDE, vendor: 'anthropic', snapshot: '20250514' },
  { key: 'claude-opus-4-1', source: CLAUDE, vendor: 'anthropic', snapshot: '20250805' },
  { key: 'claude-opus-4-5', source: CLAUDE, vendor: 'anthropic', snapshot: '20251101' },
  { key: 'claude-opus-4-6', source: CLAUDE, vendor: 'anthropic' },
  { key: 'claude-opus-4-7', source: CLAUDE, vendor: 'anthropic' },
  { key: 'claude-opus-4-8', source: CLAUDE, vendor: 'anthropic' },
  { key: 'claude-sonnet-4', source: CLAUDE, vendor: 'anthropic', snapshot: '20250514' },
  { key: 'claude-sonnet-4-5', source: CLAUDE, vendor: 'anthropic', snapshot: '20250929' },
  { key: 'claude-sonnet-4-6', source: CLAUDE, vendor: 'anthropic' },
  { key: 'claude-sonnet-5', source: CLAUDE, vendor: 'anthropic' },

  { key: 'gpt-4-turbo', source: OPENAI, vendor: 'openai', snapshot: '2024-04-09' },
  { key: 'gpt-4o', source: OPENAI, vendor: 'openai', snapshot: '2024-08-06' },
  { key: 'gpt-4o-2024-05-13', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-4o-2024-11-20', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-4o-mini', source: OPENAI, vendor: 'openai', snapshot: '2024-07-18' },
  { key: 'gpt-4-1', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-4-1-mini', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-4-1-nano', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-mini', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-nano', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-pro', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-1', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-1-codex', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-1-codex-max', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-1-codex-mini', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-2', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-2-codex', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-2-pro', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-3-codex', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-4', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-4-mini', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-4-nano', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-4-pro', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-5', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-5-5-pro', source: OPENAI, vendor: 'openai' },
  { key: 'o1', source: OPENAI, vendor: 'openai' },
  { key: 'o1-pro', source: OPENAI, vendor: 'openai' },
  { key: 'o3', source: OPENAI, vendor: 'openai' },
  { key: 'o3-mini', source: OPENAI, vendor: 'openai' },
  { key: 'o3-pro', source: OPENAI, vendor: 'openai' },
  { key: 'o3-deep-research', source: OPENAI, vendor: 'openai' },
  { key: 'o4-mini', source: OPENAI, vendor: 'openai' },
  { key: 'o4-mini-deep-research', source: OPENAI, vendor: 'openai' },
  { key: 'text-embedding-3-large', source: OPENAI, vendor: 'openai' },
  { key: 'text-embedding-3-small', source: OPENAI, vendor: 'openai' },
  { key: 'text-embedding-ada-002', source: OPENAI, vendor: 'openai' },
  { key: 'gpt-oss-120b', source: LISTED },
  { key: 'gpt-oss-20b', source: LISTED },

  { key: 'gemini-2-5-pro', source: LISTED, vendor: 'google' },
  { key: 'gemini-2-5-flash', source: LISTED, vendor: 'google' },
  { key: 'gemini-2-5-flash-image', source: LISTED, vendor: 'google' },
  { key: 'gemini-2-5-flash-lite', source: LISTED, vendor: 'google' },
  { key: 'gemini-3-flash', source: LISTED, vendor: 'google', preview: true },
  { key: 'gemini-3-pro', source: LISTED, vendor: 'google', preview: true },
  { key: 'gemini-3-1-flash-lite', source: LISTED, vendor: 'google' },
  { key: 'gemini-3-1-pro', source: LISTED, vendor: 'google', preview: true },
  { key: 'gemini-3-1-pro-preview-customtools', source: LISTED, vendor: 'google' },
  { key: 'gemini-3-5-flash', source: LISTED, vendor: 'google' },
  { key: 'gemini-embedding-001', source: LISTED, vendor: 'google' },
  { key: 'gemma-4-26b-a4b-it', source: LISTED, vendor: 'google', weights: 16 },
  { key: 'gemma-4-31b-it', source: LISTED, vendor: 'google', weights: 16 },

  { key: 'llama-3-1-70b-instruct', source: LISTED, weights: 16 },
  { key: 'llama-3-1-8b-instruct', source: LISTED, weights: 16 },
  { key: 'llama-3-2-11b-vision-instruct', source: LISTED, weights: 16 },
  { key: 'llama-3-2-90b-vision-instruct', source: LISTED, weights: 16 },
  { key: 'llama-3-3-70b-instruct', source: LISTED, weights: 16 },
  { key: 'llama-4-maverick-17b-128e-instruct', source: LISTED, weights: 16 },
  { key: 'llama-4-scout-17b-16e-instruct', source: LISTED, weights: 16 },

  { key: 'kimi-k2-0905', source: LISTED, vendor: 'moonshot', preview: true },
  { key: 'kimi-k2-thinking', source: LISTED, vendor: 'moonshot' },
  { key: 'kimi-k2-5', source: LISTED, vendor: 'moonshot' },
  { key: 'kimi-k2-6', source: LISTED, vendor: 'moonshot' },
  { key: 'kimi-k2-7-code', source: LISTED, vendor: 'moonshot' },

  { key: 'deepseek-r1', source: LISTED },
  { key: 'deepseek-r1-0528', source: LISTED },
  { key: 'deepseek-v3-0324', source: LISTED },
  { key: 'deepseek-v3-1', source: LISTED },
  { key: 'deepseek-v3-1-terminus', source: LISTED },
  { key: 'deepseek-v3-2', source: LISTED },
  { key: 'deepseek-v3-2-exp', source: LISTED },
  { key: 'deepseek-v4-flash', source: LISTED },
  { key: 'deepseek-v4-pro', source: LISTED },

  { key: 'qwen3-235b-a22b-instruct-2507', source: LISTED, weights: 16 },
  { key: 'qwen3-235b-a22b-thinking-2507', source: LISTED, weights: 16 },
  { key: 'qwen3-32b', source: LISTED, vendor: 'alibaba', weights: 16 },
  { key: 'qwen3-coder-30b-a3b-instruct', source: LISTED, vendor: 'alibaba', weights: 16 },
  { key: 'qwen3-coder-480b-a35b-instruct', source: LISTED, vendor: 'alibaba', weights: 16 },
  { key: 'qwen3-coder-next', source: LISTED, weights: 16 },
  { key: 'qwen3-next-80b-a3b-instruct', source: LISTED, vendor: 'alibaba', weights: 16 },
  { key: 'qwen3-next-80b-a3b-thinking', source: LISTED, vendor: 'alibaba', weights: 16 },
  { key: 'qwen3-vl-235b-a22b-instruct', source: LISTED, weights: 16 },
  { key: 'qwen3-vl-235b-a22b-thinking', source: LISTED, weights: 16 },
  { key: 'qwen3-5-122b-a10b', source: LISTED, vendor: 'alibaba', weights: 16 },
  { key: 'qwen3-5-27b', source: LISTED, vendor: 'alibaba', weights: 16 },
  { key: 'qwen3-5-35b-a3b', source: LISTED, vendor: 'alibaba', weights: 16 },
  { key: 'qwen3-5-397b-a17b', source: LISTED, vendor: 'alibaba', weights: 16 },
  { key: 'qwen3-5-9b', source: LISTED, weights: 16 },
  { key: 'qwen3-6-27b', source: LISTED, vendor: 'alibaba', weights: 16 },
  { key: 'qwen3-6-plus', source: LISTED, vendor: 'alibaba' },
  { key: 'qwen3-7-max', source: LISTED, vendor: 'alibaba' },
  { key: 'qwen3-7-plus', source: LISTED, vendor: 'alibaba' },

  { key: 'devstral-2512', source: LISTED, vendor: 'mistral' },
  { key: 'mistral-large-2411', source: LISTED, vendor: 'mistral' },
  { key: 'mistral-large-2512', source: LISTED, vendor: 'mistral' },
  { key: 'mistral-medium-2505', source: LISTED, vendor: 'mistral' },
  { key: 'mistral-medium-3-5', source: LISTED, vendor: 'mistral' },
  { key: 'mistral-nemo', source: LISTED, vendor: 'mistral', weights: 16 },
  { key: 'mistral-small-2603', source: LISTED, vendor: 'mistral' },
  { key: 'mistral-small-3-2-24b-instruct-2506', source: LISTED, vendor: 'mistral', weights: 16 },
  { key: 'pixtral-12b', source: LISTED, vendor: 'mistral', snapshot: '2409', weights: 16 },
  { key: 'voxtral-small-24b-2507', source: LISTED, weights: 16 },

  { key: 'glm-4-5', source: LISTED, vendor: 'zai', weights: 16 },
  { key: 'glm-4-5-air', source: LISTED, vendor: 'zai', weights: 16 },
  { key: 'glm-4-5v', source: LISTED, vendor: 'zai', weights: 16 },
  { key: 'glm-4-6', source: LISTED, vendor: 'zai', weights: 16 },
  { key: 'glm-4-6v', source: LISTED, vendor: 'zai', weights: 16 },
  { key: 'glm-4-7', source: LISTED, vendor: 'zai', weights: 16 },
  { key: 'glm-4-7-flash', source: LISTED, vendor: 'zai', weights: 16 },
  { key: 'glm-5', source: LISTED, vendor: 'zai', weights: 16 },
  { key: 'glm-5-1', source: LISTED, vendor: 'zai', weights: 16 },
  { key: 'glm-5-2', source: LISTED, vendor: 'zai', weights: 16 },

  { key: 'minimax-m2', source: LISTED, vendor: 'minimax' },
  { key: 'minimax-m2-1', source: LISTED, vendor: 'minimax' },
  { key: 'minimax-m2-5', source: LISTED, vendor: 'minimax' },
  { key: 'minimax-m2-5-highspeed', source: LISTED, vendor: 'minimax' },
  { key: 'minimax-m2-7', source: LISTED, vendor: 'minimax' },
  { key: 'minimax-m2-7-highspeed', source: LISTED, vendor: 'minimax' },
  { key: 'minimax-m3', source: LISTED, vendor: 'minimax' },

  { key: 'grok-4-3', source: LISTED, vendor: 'xai' },
  { key: 'grok-build-0-1', source: LISTED, vendor: 'xai' },
  { key: 'nova-lite', source: LISTED, vendor: 'bedrock' },
  { key: 'nova-micro', source: LISTED, vendor: 'bedrock' },
  { key: 'nova-pro', source: LISTED, vendor: 'bedrock' },
]

/** Shared names by `<package>/<id>`, where the id does not reveal the model. */
export const OTHER_IDS: Readonly<Record<string, string>> = {
  // `models.dev` has their names: DeepSeek-V3.1, Devstral 2 123B, Mistral Large 3, Mistral Medium 3.5, Mistral Small 3.2.
  'bedrock/deepseek.v3-v1:0': 'deepseek-v3-1',
  'bedrock/mistral.devstral-2-123b': 'devstral-2512',
  'bedrock/mistral.mistral-large-3-675b-instruct': 'mistral-large-2512',
  'mistral/mistral-medium-2604': 'mistral-medium-3-5',
  'mistral/mistral-small-2506': 'mistral-small-3-2-24b-instruct-2506',
  // Each has only one release with this number of parameters.
  'bedrock/us.meta.llama4-maverick-17b-instruct-v1:0': 'llama-4-maverick-17b-128e-instruct',
  'bedrock/us.meta.llama4-scout-17b-instruct-v1:0': 'llama-4-scout-17b-16e-instruct',
  'bedrock/qwen.qwen3-coder-30b-a3b-v1:0': 'qwen3-coder-30b-a3b-instruct',
  'bedrock/qwen.qwen3-coder-480b-a35b-v1:0': 'qwen3-coder-480b-a35b-instruct',
  'huggingface/moonshotai/Kimi-K2-Instruct-0905': 'kimi-k2-0905',
  'nvidia/moonshotai/kimi-k2-instruct-0905': 'kimi-k2-0905',
}

/** Reasons why ids are not the model that they are named after, by `<package>/<id>`. A last `*` matches any characters. */
export const NOT_SAME: Readonly<Record<string, string>> = {
  // https://docs.github.com/en/github-models/use-github-models/prototyping-with-ai-models#rate-limits
  'github-models/*': 'the input of a request is limited to 8,000 tokens',
  'deepseek/*': 'the vendor redirects an id to its next model, while other providers keep the published weights',
  'azure/gpt-4o': 'a deployment of this name has any of three snapshots',
  'azure/gpt-4-turbo': 'a deployment of this name has any of several snapshots',
  'databricks/databricks-gemini-3-1-pro': 'models.dev has another model as its base',
  // https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
  'bedrock/anthropic.*': 'only its inference profiles can be called',
  'bedrock/meta.llama4-*': 'only its inference profiles can be called',
  'bedrock/deepseek.r1-v1:0': 'only its inference profile can be called',
  'bedrock/openai.gpt-oss-120b': 'the id of another API',
  'bedrock/openai.gpt-oss-20b': 'the id of another API',
  'openrouter/~*': 'it moves to the next model',
  'together/deepseek-ai/DeepSeek-R1': 'unknown release',
  'siliconflow/deepseek-ai/DeepSeek-R1': 'unknown release',
  'vercel/deepseek/deepseek-r1': 'unknown release',
  'together/pearl-ai/*': 'a changed model',
}

/**
 * Providers whose ids do not reveal the precision of the weights, with the reason. They are left out where the published
 * weights have 16 bits, since a quantized model is another model.
 */
export const MIXED_PRECISION: Readonly<Record<string, string>> = {
  // https://deepinfra.com/models
  deepinfra: 'most models have weights of 8 or 4 bits',
  groq: 'weights are stored with less precision where the vendor considers it harmless, also in `-versatile`',
  huggingface: 'the request is routed to a host of any precision',
  // https://openrouter.ai/docs/features/provider-routing#quantization
  openrouter: 'the request is routed to a host of any precision, unless it has `provider.quantizations`',
  vercel: 'the request is routed to a host of any precision',
}
