import type { IndexProgress, IndexReport, SearchPage, SearchQuery } from '@headgate/core/search'
import type { Sources } from './sources.ts'

/** Data of the writer thread. */
export interface WriterData {
  readonly sources: Sources
  /** Folder of the index. */
  readonly folder: string
  readonly watch: boolean
}

/** Message to the writer thread: update the index now. */
export interface IndexOrder {
  readonly id: number
  /** Aborts the update. */
  readonly abort?: true
}

/** Message from the writer thread. */
export type WriterNews =
  /** The index can be searched. */
  | { readonly kind: 'open'; readonly documents: number }
  | { readonly kind: 'progress'; readonly progress: IndexProgress }
  /** A pass ended, with the orders that waited for it. */
  | { readonly kind: 'done'; readonly orders: readonly number[]; readonly report: IndexReport }
  | { readonly kind: 'failed'; readonly orders: readonly number[]; readonly message: string }
  | { readonly kind: 'warning'; readonly message: string }

/** Message to the search thread. */
export interface SearchOrder {
  readonly id: number
  readonly query: SearchQuery
}

/** Message from the search thread. */
export type SearchNews = { readonly id: number } & ({ readonly page: SearchPage } | { readonly message: string })

/** Name of the index file within its folder. */
export const INDEX_FILE = 'index.db'
/** Name of the file that the writing process locks. */
export const LOCK_FILE = 'lock.db'
