import type { Json } from '@headgate/core/provider'
import type { Parameter } from '@headgate/core/search'
import type { BackendInstance } from '@headgate/gateway'
import type { Adapter } from '../../facts.ts'
import type { CredentialFacts } from '../../place.ts'
import type { Failure } from '../chat/failures/index.ts'

/** What the kit needs of an adapter: any `BackendAdapter` is one. */
export interface SearchAdapter<Config> extends Adapter<Config, BackendInstance> {
  readonly enable?: string | undefined
}

/**
 * Facts of a search backend, of its vendor's service above all. They are what the vendor documents: the kit holds the
 * adapter to them.
 */
export interface SearchFacts<Config> {
  /** A config that is complete. The kit puts its own upstream in the place of the base URL's host. */
  readonly config: Config
  /** How the vendor knows who asks; absent = it does not ask. */
  readonly credential?: CredentialFacts
  /** A config without a key, under which it works too; absent = there is none. */
  readonly keyless?: Config
  /** Headers by which the vendor knows those who have no key. */
  readonly keylessHeaders?: Readonly<Record<string, string>>
  /** Absent for a backend that runs in this process. */
  readonly upstream?: SearchUpstreamFacts
  /** For a backend that runs in this process: what it must find first for which words. */
  readonly find?: readonly { readonly q: string; readonly first: string }[]
}

export interface SearchUpstreamFacts {
  /** Where it takes searches, without the host and the query. */
  readonly path: string
  readonly method: 'GET' | 'POST'
  /** What the vendor understands of a request, with the vendor's own defaults. */
  read(request: VendorRequest): Understood
  /** The vendor's answer with these results. Texts go in as they are; the same results give the same answer. */
  write(results: readonly Result[], about: Circumstances): string | object
  /** By parameter of Custom Search: a value, and whether a request shows it. */
  readonly carries?: Readonly<Partial<Record<Parameter | 'siteSearchFilter', Shown>>>
  /** The most results of one request; a higher limit is answered with a 400. */
  readonly maxLimit?: number
  /** The body of an error with a status. */
  error?(status: number): string | object
  /**
   * Failures that are the vendor's own: beside those of every server, or instead of them where the status is the same.
   */
  readonly failures?: readonly Failure[]
  /** Titles and texts of the vendor are HTML; default: as the adapter says. */
  readonly markup?: boolean
  /** Where those who have no key ask, if elsewhere. */
  readonly keylessPath?: string
}

/** A value of a parameter, and whether it can be seen in a request. */
export type Shown = readonly [value: string, isShown: (request: VendorRequest) => boolean]

/** A request as the vendor gets it. */
export interface VendorRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Absent where the body is no JSON object. */
  readonly body: Json | undefined
}

/** What the vendor makes of a request; the kit checks what stands here. */
export interface Understood {
  readonly q: unknown
  /** Most results; absent = the vendor's pages have lengths of their own. */
  readonly limit?: unknown
  /** Pages before this one. */
  readonly page?: unknown
  /** Results before the first; counts before `page`. */
  readonly offset?: unknown
}

/** A result as the vendor has it. */
export interface Result {
  readonly url: string
  readonly title: string
  readonly text: string
  /** `2026-01-31T12:00:00.000Z` */
  readonly date: string
  /** URL of a picture. */
  readonly thumbnail: string
}

/** What a vendor may say beside the results. */
export interface Circumstances {
  /** Whether there are results after these. */
  readonly more: boolean
  /** Results in all. */
  readonly total: number
  readonly query: string
}
