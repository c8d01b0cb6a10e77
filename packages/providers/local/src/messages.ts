/** What the thread answers to the texts of an order: their vectors in order, or why one of them has none. */
export type Answer = Embedded | Refused

export interface Embedded {
  readonly vectors: readonly (readonly number[])[]
  /** What the model's own tokenizer counts. */
  readonly tokens: number
}

export interface Refused {
  readonly refused: 'invalid-request' | 'context-too-long'
  readonly message: string
}
