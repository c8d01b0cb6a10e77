/** Response of the thread: the vectors in order, or the reason why an input has none. */
export type EmbedResult = Embedded | Refused

export interface Embedded {
  readonly vectors: readonly (readonly number[])[]
  /** Token count of the model's tokenizer. */
  readonly tokens: number
}

export interface Refused {
  readonly refused: 'invalid-request' | 'context-too-long'
  readonly message: string
}
