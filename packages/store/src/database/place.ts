/** Location of a store: path of `headgate.db`, or `DATABASE_URL`. */
export type Place = { readonly file: string } | { readonly url: string }
