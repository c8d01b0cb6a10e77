/** Where code asks, and by what. */
export interface Place {
  /** Where the gateway is: `http://127.0.0.1:8787`. */
  readonly origin: string
  /** The variable of the environment that holds the key: a page has none. */
  readonly variable: string
  /** Whether a loss is refused. */
  readonly isStrict: boolean
}

/** The header that has a loss be refused. */
export const STRICT = { 'headgate-strict': 'true' } as const
