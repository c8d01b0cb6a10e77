/** What a model takes and gives. Facts are tri-state: absent means unknown, and unknown is not no. */
export interface ModelFacts {
  /** The id by which callers name it. */
  readonly id: string
  /** The provider's own name for it, where it differs. */
  readonly upstream?: string
  /**
   * The model that it is, where its id does not say so (a deployment, an inference profile, a snapshot): facts and
   * price are that one's.
   */
  readonly is?: string
  /** Ids of the families that it serves: `chat`, `embeddings`, `rerank`. Absent = not known. */
  readonly families?: readonly string[]
  /** When it was made public, Unix time in seconds. */
  readonly created?: number
  /** Whether its provider has announced its end. */
  readonly deprecated?: boolean
  /** Context window, in tokens. */
  readonly context?: number
  /** Most output tokens. */
  readonly output?: number
  readonly inputs?: readonly ('text' | 'image' | 'pdf' | 'audio' | 'video')[]
  /** What it answers with, where that is more than text. */
  readonly outputs?: readonly ('text' | 'image' | 'audio' | 'video')[]
  readonly tools?: boolean
  readonly reasoning?: boolean
  /** Most calls of the provider's own tools (searches) within one answer, where the request does not limit them. */
  readonly hostedCalls?: number
  /** Whether temperature and its like are accepted. */
  readonly sampling?: boolean
  /** Prices by kind of token. */
  readonly price?: Price
}

/**
 * Integer nano-dollars per million tokens; what is absent is charged as its total (`input` or `output`). Reasoning is
 * output.
 */
export interface Rates {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  /** What is written to be kept for an hour (`Usage.cacheWriteLong`); absent = as `cacheWrite`. */
  readonly cacheWriteLong?: number
  readonly audioInput?: number
  /** Sound that is read from a cache; absent = as `audioInput`, else as `cacheRead`. */
  readonly audioCached?: number
  readonly audioOutput?: number
  readonly imageInput?: number
  readonly imageOutput?: number
}

export const KINDS: readonly (keyof Rates)[] = [
  ...(['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWriteLong'] as const),
  ...(['audioInput', 'audioCached', 'audioOutput', 'imageInput', 'imageOutput'] as const),
]

/** Rates, and those of long requests. */
export interface Tariff extends Rates {
  /** The rates of all tokens of a request whose input is more than `above` tokens. */
  readonly long?: Rates & { readonly above: number }
}

export interface Price extends Tariff {
  /** Names source and date of the price, so that a usage row can be checked later: `models.dev@2026-07-02`. */
  readonly id: string
  /**
   * Integer nano-dollars of one unit, by the name of the unit; a request that has used another one has no known cost.
   */
  readonly units?: Readonly<Record<string, number>>
  /**
   * By the name of a tier of service (`Usage.tier`: `flex`, `priority`, `batch`), what an answer costs that names it: a
   * factor of every rate, or rates. Units cost the same. An answer of another tier has no known cost.
   */
  readonly tiers?: Readonly<Record<string, Tariff | { readonly factor: number }>>
  /** Integer nano-dollars that a request costs at least; default 0. */
  readonly minimum?: number
}

/** Facts of how a provider speaks its format, where it deviates. */
export interface ChatFacts {
  /** When a stream reports usage: `asked` (by `stream_options.include_usage`), `always` or `never`. Default `asked`. */
  readonly usageInStream?: 'asked' | 'always' | 'never'
  /** Whether images may be given by URL. Default true. */
  readonly imageUrls?: boolean
  /**
   * Whether it searches the web itself where a request has it do so (`web_search_options`). Default: chat-completions
   * does not, the others do.
   */
  readonly webSearch?: boolean
  /** Whether PDFs may be given by URL. */
  readonly pdfUrls?: boolean
  /**
   * How a document's base64 is written; `none`: documents are refused, and go to another format of the provider.
   * Default `data-url`.
   */
  readonly documents?: 'data-url' | 'raw' | 'none'
  /** Only one leading system message of plain text is understood. */
  readonly plainSystem?: boolean
  /** Whether tool calls and results carry ids, in formats where that is optional. Default true. */
  readonly toolCallIds?: boolean
  /** Name of the message field in which reasoning of earlier turns is taken back. Default: none is. */
  readonly reasoning?: 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'thinking_blocks'
  /**
   * Field that marks a last assistant message which the model continues. Default: none, and the message is a finished
   * turn.
   */
  readonly prefix?: 'prefix' | 'partial'
  /** Name of the field that limits the output. Default: by the model. */
  readonly maxTokens?: 'max_tokens' | 'max_completion_tokens'
}

/** Where a request goes. */
export interface Target {
  /** The provider's own name of the model. */
  readonly model: string
  /** Who verifies signatures there. */
  readonly signer?: string | undefined
  readonly facts?: ChatFacts | undefined
  readonly limits?: ModelFacts | undefined
}
