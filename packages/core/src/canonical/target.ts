/** Facts of a model. Absent: unknown, which is not the same as unsupported. */
export interface ModelFacts {
  /** Id for callers. */
  readonly id: string
  /** The provider's id, if it differs. */
  readonly upstream?: string
  /**
   * Id of the actual model, if `id` does not reveal it (a deployment, an inference profile, a snapshot). Facts and
   * price of that model apply.
   */
  readonly is?: string
  /** Name that all providers of this model share, such as `claude-sonnet-4-5`. Absent: unknown. */
  readonly same?: string
  /** Families that the model supports: `chat`, `embeddings`, `rerank`. Absent: unknown. */
  readonly families?: readonly string[]
  /** Publication date, Unix time in seconds. */
  readonly created?: number
  /** True if its provider has announced its end. */
  readonly deprecated?: boolean
  /** Context window, in tokens. */
  readonly context?: number
  /** Maximum output tokens. */
  readonly output?: number
  readonly inputs?: readonly ('text' | 'image' | 'pdf' | 'audio' | 'video')[]
  /** Output types, if the model supports more than text. */
  readonly outputs?: readonly ('text' | 'image' | 'audio' | 'video')[]
  readonly tools?: boolean
  readonly reasoning?: boolean
  /** Maximum calls of hosted tools (searches) per response, if the request does not limit them. */
  readonly hostedCalls?: number
  /** True if temperature and similar parameters are supported. */
  readonly sampling?: boolean
  /** Prices by kind of token. */
  readonly price?: Price
}

/**
 * Rates in integer nano-dollars per million tokens. Tokens without a rate are charged as `input` or `output`. Reasoning
 * is output.
 */
export interface Rates {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  /** Cache writes for one hour (`Usage.cacheWriteLong`). Absent: the same as `cacheWrite`. */
  readonly cacheWriteLong?: number
  readonly audioInput?: number
  /** Cached sound. Absent: the same as `audioInput`, else `cacheRead`. */
  readonly audioCached?: number
  readonly audioOutput?: number
  readonly imageInput?: number
  readonly imageOutput?: number
}

export const KINDS: readonly (keyof Rates)[] = [
  ...(['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWriteLong'] as const),
  ...(['audioInput', 'audioCached', 'audioOutput', 'imageInput', 'imageOutput'] as const),
]

/** Rates, optionally with other rates for long requests. */
export interface Tariff extends Rates {
  /** Rates for all tokens of a request with more than `above` input tokens. */
  readonly long?: Rates & { readonly above: number }
}

/** Price of a model, with prices of units and service tiers. */
export interface Price extends Tariff {
  /** Source and date of the price, for later verification of usage rows: `models.dev@2026-07-02`. */
  readonly id: string
  /**
   * Prices of a million units in integer nano-dollars, by unit: $0.04 per image is `images: 40_000_000_000_000`. Requests
   * that use a unit without a price have an unknown cost.
   */
  readonly units?: Readonly<Record<string, number>>
  /**
   * Prices of a million units by the variant of the response (`Usage.variant`), such as `high:1536x1024` or `2K`: a unit with a price
   * here has no other price. A response of another variant, or of none, has an unknown cost.
   */
  readonly variants?: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Minimum counts of a request by unit, where less is billed as so much: `{ milliseconds: 10_000 }`. 0 stays 0. */
  readonly least?: Readonly<Record<string, number>>
  /**
   * Prices by service tier (`Usage.tier`: `flex`, `priority`, `batch`): a factor for all rates, or rates. Unit prices
   * do not change. Responses of other tiers have an unknown cost.
   */
  readonly tiers?: Readonly<Record<string, Tariff | { readonly factor: number }>>
  /** Minimum cost of a request in integer nano-dollars; default 0. */
  readonly minimum?: number
}

/** Differences between a provider and its format. */
export interface ChatFacts {
  /** Usage in streams: `asked` (with `stream_options.include_usage`), `always` or `never`. Default `asked`. */
  readonly usageInStream?: 'asked' | 'always' | 'never'
  /** True if images can be URLs. Default true. */
  readonly imageUrls?: boolean
  /**
   * True if the provider searches the web for requests with `web_search_options`. Default: false for chat-completions,
   * true for other formats.
   */
  readonly webSearch?: boolean
  /** True if the provider runs the tool `image_generation` of requests. Default: false. */
  readonly imageTool?: boolean
  /** True if PDFs can be URLs. */
  readonly pdfUrls?: boolean
  /**
   * Encoding of documents. With `none`, documents use another format of the provider, or are rejected. Default
   * `data-url`.
   */
  readonly documents?: 'data-url' | 'raw' | 'none'
  /** True if only one leading system message with plain text is supported. */
  readonly plainSystem?: boolean
  /** True if tool calls and results have ids, in formats where they are optional. Default true. */
  readonly toolCallIds?: boolean
  /** Message field that accepts reasoning of earlier turns. Default: none. */
  readonly reasoning?: 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'thinking_blocks'
  /**
   * Field that marks a last assistant message for continuation. Default: none, so that the message is a finished turn.
   */
  readonly prefix?: 'prefix' | 'partial'
  /** Field that limits the output. Default: depends on the model. */
  readonly maxTokens?: 'max_tokens' | 'max_completion_tokens'
}

/** Destination of a request. */
export interface Target {
  /** The provider's id of the model. */
  readonly model: string
  /** Model family that verifies signatures. */
  readonly signer?: string | undefined
  readonly facts?: ChatFacts | undefined
  readonly limits?: ModelFacts | undefined
}
