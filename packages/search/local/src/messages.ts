import type { IndexProgress, IndexReport, SearchPage, SearchQuery } from '@headgate/core/search'
import type { Sources } from './sources.ts'

/** What the writing thread is started with. */
export interface WriterData {
  readonly sources: Sources
  /** Folder of the index. */
  readonly folder: string
  readonly watch: boolean
}

/** To the writing thread: bring everything up to date now. */
export interface IndexOrder {
  readonly id: number
  /** Stop it again. */
  readonly abort?: true
}

/** From the writing thread. */
export type WriterNews =
  /** There is an index that can be searched. */
  | { readonly kind: 'open'; readonly documents: number }
  | { readonly kind: 'progress'; readonly progress: IndexProgress }
  /** A pass has ended, which these orders waited for. */
  | { readonly kind: 'done'; readonly orders: readonly number[]; readonly report: IndexReport }
  | { readonly kind: 'failed'; readonly orders: readonly number[]; readonly message: string }
  | { readonly kind: 'warning'; readonly message: string }

/** To the searching thread. */
export interface SearchOrder {
  readonly id: number
  readonly query: SearchQuery
}

/** From the searching thread. */
export type SearchNews = { readonly id: number } & ({ readonly page: SearchPage } | { readonly message: string })

/** File of the index within its folder. */
export const INDEX_FILE = 'index.db'
/** File that whoever writes holds a lock on. */
export const LOCK_FILE = 'lock.db'
