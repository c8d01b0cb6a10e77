import type { BackendInstance, Site } from '@headgate/core/contract'
import { HeadgateError, invalid } from '@headgate/core/errors'
import type { BackendEntry, SearchOptions } from '../../ports/gateway-options.ts'
import { mayUse, permitted } from '../../serve/permission.ts'
import { readSite } from './site.ts'

/** A backend that can serve a search. */
export interface SearchCandidate {
  /** Name in the `vendor` header. */
  readonly name: string
  /** Unique key. It distinguishes shared backends from an engine's private backend of the same name. */
  readonly key: string
  readonly backend: BackendInstance
  /** Price of a million calls in nano-dollars; undefined = unknown. */
  readonly price: { readonly id: string; readonly calls: number } | undefined
}

/** Candidates for a search, in order of preference, and the settings that all of them share. */
export interface Selection {
  readonly title: string
  /** Name in usage rows. */
  readonly engine: string
  /** True if this is an engine, configured under a `cx`; false for the default list of backends. */
  readonly isEngine: boolean
  readonly sites: readonly Site[]
  readonly candidates: readonly [SearchCandidate, ...SearchCandidate[]]
}

/** Search engine and backend that a request selects. */
export interface EngineQuery {
  readonly cx: string | undefined
  /** Value of the `vendor` header; absent or `auto` = any backend. */
  readonly vendor: string | undefined
  /** Patterns of the engines and backends that the caller can use; undefined = all. */
  readonly allowed: readonly string[] | undefined
}

export interface Engines {
  /** All backends, including backends that only one engine uses. */
  readonly backends: readonly BackendInstance[]
  /** The selected engine or backend. @throws HeadgateError for an unknown or forbidden `cx` or vendor. */
  select(wish: EngineQuery): Selection
  /**
   * The engine or backends for web searches that the caller can use: the configured default, else all backends whose
   * corpus is the web. Undefined if no backend matches.
   */
  web(allowed: EngineQuery['allowed']): Selection | undefined
}

/** Maximum number of names that an error message lists. */
const NAMED = 20

function candidateOf(given: BackendInstance | BackendEntry, ownerKey = ''): SearchCandidate {
  const { backend, name = backend.name, price }: BackendEntry = 'backend' in given ? given : { backend: given }
  const priced = price === undefined ? backend.price : { id: 'config', calls: price }
  return { name, key: `${ownerKey}${name}`, backend, price: priced }
}

function isOwn({ backend }: SearchCandidate): boolean {
  return backend.corpus === 'own'
}

function listed(candidates: readonly SearchCandidate[]): Selection['candidates'] {
  const [first, ...rest] = candidates
  if (!first) throw new TypeError('A search needs a backend.')
  return [first, ...rest]
}

function forbidden(param: 'cx' | 'vendor', what: string, allowed: EngineQuery['allowed']): HeadgateError {
  return new HeadgateError('forbidden', `This key cannot search with ${what}. ${permitted(allowed)}`, { param })
}

/** The search engines of a gateway. @throws TypeError if the options name an unknown backend or engine. */
export function createEngines({ backends, engines = {}, default: usual }: SearchOptions): Engines {
  const shared = backends.map((given) => candidateOf(given))
  const named = (name: string): SearchCandidate | undefined => shared.find((one) => one.name === name)
  const twice = shared.find((one, index) => named(one.name) !== shared[index])
  if (twice) throw new TypeError(`Two search backends are named "${twice.name}". Give one of them another name.`)

  /**
   * Candidates of a search. A backend that searches its own documents has no fallback, since other results cannot
   * replace them.
   */
  const withOthers = (first: SearchCandidate): Selection['candidates'] =>
    isOwn(first) ? [first] : [first, ...shared.filter((one) => one !== first && !isOwn(one))]

  const selections = new Map<string, Selection>(
    Object.entries(engines).map(([cx, { backend, title = cx, sites = [] }]) => {
      const own = typeof backend === 'string' ? undefined : candidateOf(backend, `${cx}/`)
      const first = own ?? named(String(backend))
      if (!first)
        throw new TypeError(
          `The engine "${cx}" names the search backend "${String(backend)}", which is not configured.`,
        )
      const read = sites.map((site) => readSite(site, `sites of the engine "${cx}"`))
      return [cx, { title, engine: cx, isEngine: true, sites: read, candidates: own ? [own] : withOthers(first) }]
    }),
  )

  const fallback = (): Selection => {
    const engine = usual === undefined ? undefined : selections.get(usual)
    if (engine) return engine
    const first = usual === undefined ? shared[0] : named(usual)
    if (!first)
      throw new TypeError(`The default search engine "${usual}" is neither a configured engine nor a backend.`)
    return { title: first.name, engine: first.name, isEngine: false, sites: [], candidates: withOthers(first) }
  }
  const whole = shared.length > 0 || usual !== undefined ? fallback() : undefined

  const engineOf = ({ cx, allowed }: EngineQuery): Selection => {
    const found = cx === undefined ? whole : selections.get(cx)
    if (found) return found
    const names = [...selections.keys()].filter((name) => mayUse(allowed, name)).slice(0, NAMED)
    const known = names.length > 0 ? `Known: ${names.map((name) => `"${name}"`).join(', ')}` : 'None is configured'
    throw invalid(
      'cx',
      cx === undefined ? `cx is missing. ${known}.` : `No search engine is configured under this cx. ${known}.`,
    )
  }

  return {
    backends: [
      ...new Set(
        [...shared, ...[...selections.values()].flatMap(({ candidates }) => candidates)].map(({ backend }) => backend),
      ),
    ],
    web(allowed) {
      if (!whole) return undefined
      const isWhole = whole.isEngine && mayUse(allowed, whole.engine)
      const candidates = usual === undefined ? shared.filter((one) => !isOwn(one)) : whole.candidates
      const own = isWhole ? candidates : candidates.filter(({ name }) => !whole.isEngine && mayUse(allowed, name))
      return own.length === 0 ? undefined : { ...whole, candidates: listed(own) }
    },
    select(wish) {
      const { cx, vendor, allowed } = wish
      const selection = engineOf(wish)
      const { engine, isEngine } = selection
      const isAllowed = mayUse(allowed, engine)
      if (cx !== undefined && !isAllowed) throw forbidden('cx', `the engine "${cx.slice(0, 128)}"`, allowed)
      const own =
        isEngine && isAllowed
          ? selection.candidates
          : selection.candidates.filter(({ name }) => !isEngine && mayUse(allowed, name))
      const name = vendor?.trim().toLowerCase()
      if (!name || name === 'auto') {
        if (own.length === 0) throw forbidden('cx', `"${engine}", which is the default`, allowed)
        return { ...selection, candidates: listed(own) }
      }
      const called = (one: SearchCandidate): boolean => one.name.toLowerCase() === name
      const found = own.find(called) ?? shared.find((one) => called(one) && mayUse(allowed, one.name))
      if (found) return { ...selection, candidates: listed([found]) }
      if ([...selection.candidates, ...shared].some(called))
        throw forbidden('vendor', `the backend "${name.slice(0, 64)}"`, allowed)
      const known = shared.map((one) => one.name).join(', ') || 'none'
      throw invalid(
        'vendor',
        `Unknown vendor "${name.slice(0, 64)}". Known search backends: ${known}; or leave the header out.`,
      )
    },
  }
}
