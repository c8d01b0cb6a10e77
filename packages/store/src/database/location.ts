/** Location of a store: path of `headgate.db`, or `DATABASE_URL`. */
export type StoreLocation = { readonly file: string } | { readonly url: string }
