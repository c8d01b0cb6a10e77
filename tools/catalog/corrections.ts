/** What is known of a provider's models beside models.dev. */
export interface Correction {
  /** Why what models.dev says costs is not what a request costs: then no price is known. */
  readonly unpriced?: string
  readonly inputs?: (inputs: readonly string[]) => readonly string[]
  readonly tools?: readonly string[]
  /** Price of what is cached for an hour, as a multiple of the input's. */
  readonly cacheWriteLong?: number
  /** Tiers of service of chat models, by the name that answers have: by what every rate is multiplied. */
  readonly tiers?: Readonly<Record<string, number>>
  /** US dollars of one unit, for chat models. */
  readonly units?: Readonly<Record<string, number>>
}

/** By id of the package: where models.dev is silent, or contradicts the vendor's documentation. */
export const CORRECTIONS: Readonly<Record<string, Correction>> = {
  openai: {
    // Every model that sees takes PDFs: https://platform.openai.com/docs/guides/pdf-files
    inputs: (inputs) => (inputs.includes('image') ? [...new Set([...inputs, 'pdf'])] : inputs),
    // https://platform.openai.com/docs/models/gpt-3.5-turbo
    tools: ['gpt-3.5-turbo'],
    // At the rates of a batch, half of the others: https://developers.openai.com/api/docs/guides/flex-processing
    tiers: { flex: 0.5 },
  },
  anthropic: {
    // https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing
    cacheWriteLong: 2,
    // https://platform.claude.com/docs/en/build-with-claude/batch-processing#pricing
    tiers: { batch: 0.5 },
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#usage-and-pricing
    units: { searches: 0.01 },
  },
  // https://docs.perplexity.ai/docs/getting-started/pricing
  perplexity: { unpriced: 'a request costs a fee as well, by how much it searches' },
  // https://huggingface.co/docs/inference-providers/pricing
  huggingface: { unpriced: 'it depends on who serves the model' },
}
