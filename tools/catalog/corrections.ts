/** Facts of a provider's models in addition to models.dev. */
export interface Correction {
  /** Reason why the price at models.dev is not the price of a request: the price is then unknown. */
  readonly unpriced?: string
  /** Ids of models whose price at models.dev is wrong: their price is then unknown. */
  readonly wrongPrices?: readonly string[]
  readonly inputs?: (inputs: readonly string[]) => readonly string[]
  readonly tools?: readonly string[]
  /** Price of the one-hour cache, as a multiple of the input price. */
  readonly cacheWriteLong?: number
  /** Service tiers of chat models, by the name in responses, with the factor of all rates. */
  readonly tiers?: Readonly<Record<string, number>>
  /** US dollars per million units, for chat models. */
  readonly units?: Readonly<Record<string, number>>
}

/** Corrections by package id, for facts that models.dev lacks, or that contradict the vendor's documentation. */
export const CORRECTIONS: Readonly<Record<string, Correction>> = {
  openai: {
    // All models with image input accept PDFs: https://platform.openai.com/docs/guides/pdf-files
    inputs: (inputs) => (inputs.includes('image') ? [...new Set([...inputs, 'pdf'])] : inputs),
    // https://platform.openai.com/docs/models/gpt-3.5-turbo
    tools: ['gpt-3.5-turbo'],
    // Flex has the rates of a batch, half of the others: https://developers.openai.com/api/docs/guides/flex-processing
    tiers: { flex: 0.5 },
  },
  anthropic: {
    // https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing
    cacheWriteLong: 2,
    // https://platform.claude.com/docs/en/build-with-claude/batch-processing#pricing
    tiers: { batch: 0.5 },
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#usage-and-pricing
    units: { searches: 10_000 },
  },
  // Three times the price of all other geographies: https://aws.amazon.com/bedrock/pricing/
  bedrock: { wrongPrices: ['au.anthropic.claude-opus-4-6-v1'] },
  // https://docs.perplexity.ai/docs/getting-started/pricing
  perplexity: { unpriced: 'a request also has a fee that depends on its searches' },
  // https://huggingface.co/docs/inference-providers/pricing
  huggingface: { unpriced: 'it depends on the provider of the model' },
}
