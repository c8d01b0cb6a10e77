/** Location of a store: path of `headgate.db`, or `DATABASE_URL`. */
export type StoreLocation = { readonly file: string } | PostgresLocation

export interface PostgresLocation {
  readonly url: string
  /** Maximum connections of a thread; default 2. */
  readonly connections?: number | undefined
}
