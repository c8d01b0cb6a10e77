import type { Json } from '@headgate/core/provider'
import type { Parameter } from '@headgate/core/search'
import type { BackendInstance } from '@headgate/gateway'
import type { Adapter } from '../../facts.ts'
import type { CredentialFacts } from '../../place.ts'
import type { Failure } from '../chat/failures/index.ts'

/** The parts of an adapter that the kit uses. Any `BackendAdapter` has them. */
export interface SearchAdapter<Config> extends Adapter<Config, BackendInstance> {
  readonly enable?: string | undefined
}

/**
 * Facts about a search backend and its vendor's service, from the vendor's documentation. The kit checks the adapter
 * against them.
 */
export interface SearchFacts<Config> {
  /** Complete config. The kit replaces the base URL's host with its own upstream. */
  readonly config: Config
  /** Credential of requests. Absent if the vendor needs none. */
  readonly credential?: CredentialFacts
  /** Config without a key, if the backend works without one. */
  readonly keyless?: Config
  /** Headers that identify callers without a key. */
  readonly keylessHeaders?: Readonly<Record<string, string>>
  /** Absent for a backend that runs in-process. */
  readonly upstream?: SearchUpstreamFacts
  /** Queries and their first results, for a backend that runs in-process. */
  readonly find?: readonly { readonly q: string; readonly first: string }[]
}

export interface SearchUpstreamFacts {
  /** Path of searches, without the host and the query. */
  readonly path: string
  readonly method: 'GET' | 'POST'
  /** The vendor's interpretation of a request, including its defaults. */
  read(request: VendorRequest): Understood
  /** The vendor's response with these results. It is deterministic and contains their strings unchanged. */
  write(results: readonly VendorResult[], about: Circumstances): string | object
  /** Custom Search parameters with a value, and a test that finds the value in a request. */
  readonly supports?: Readonly<Partial<Record<Parameter | 'siteSearchFilter', RequestProbe>>>
  /** Maximum number of results of one request; the vendor rejects a higher limit with a 400. */
  readonly maxLimit?: number
  /** Error body for a status. */
  error?(status: number): string | object
  /** Failures specific to the vendor. They replace common failures with the same status. */
  readonly failures?: readonly Failure[]
  /** The vendor's titles and snippets are HTML. Default: the adapter's value. */
  readonly markup?: boolean
  /** Path of requests without a key, if it differs. */
  readonly keylessPath?: string
}

/** Value of a parameter, and a test that finds it in a request. */
export type RequestProbe = readonly [value: string, isShown: (request: VendorRequest) => boolean]

/** Request as the vendor receives it. */
export interface VendorRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Absent if the body is not a JSON object. */
  readonly body: Json | undefined
}

/** The vendor's interpretation of a request. The kit checks the values. */
export interface Understood {
  readonly q: unknown
  /** Maximum number of results. Absent if the vendor decides its page sizes. */
  readonly limit?: unknown
  /** Pages before this one. */
  readonly page?: unknown
  /** Results before the first one. Takes precedence over `page`. */
  readonly offset?: unknown
}

/** Search result of a vendor. */
export interface VendorResult {
  readonly url: string
  readonly title: string
  readonly text: string
  /** `2026-01-31T12:00:00.000Z` */
  readonly date: string
  /** URL of an image. */
  readonly thumbnail: string
}

/** Further data of a vendor's response. */
export interface Circumstances {
  /** More results follow. */
  readonly more: boolean
  /** Total number of results. */
  readonly total: number
  readonly query: string
}
