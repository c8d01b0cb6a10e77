import { invalid } from '../../errors.ts'
import type { BackendEntry, SearchOptions } from '../../options.ts'
import type { BackendInstance, Site } from '../../search.ts'
import { readSite } from './site.ts'

/** A backend that can be asked. */
export interface Candidate {
  /** What the `vendor` header calls it. */
  readonly name: string
  /** Tells it from one of the same name that an engine has for itself. */
  readonly key: string
  readonly backend: BackendInstance
  /** Nano-dollars of one call; undefined = unknown. */
  readonly price: { readonly id: string; readonly call: number } | undefined
}

/** Who can serve a search, in the order of preference, and what holds for all of them. */
export interface Selection {
  readonly title: string
  /** As usage rows name it. */
  readonly engine: string
  readonly sites: readonly Site[]
  readonly candidates: readonly [Candidate, ...Candidate[]]
}

/** What a search is for: a `cx`, and a backend that the caller pins. */
export interface SearchWish {
  readonly cx: string | undefined
  /** Value of the `vendor` header; absent or `auto` = any. */
  readonly vendor: string | undefined
}

export interface Engines {
  /** Every backend there is, those that only one engine uses too. */
  readonly backends: readonly BackendInstance[]
  /** @throws HeadgateError for a `cx` or a vendor that is not known. */
  select(wish: SearchWish): Selection
}

/** So many are named where one is not known. */
const NAMED = 20

function candidateOf(given: BackendInstance | BackendEntry, ownerKey = ''): Candidate {
  const { backend, name = backend.name, price }: BackendEntry = 'backend' in given ? given : { backend: given }
  const priced = price === undefined ? backend.price : { id: 'config', call: price }
  return { name, key: `${ownerKey}${name}`, backend, price: priced }
}

function isOwn({ backend }: Candidate): boolean {
  return backend.corpus === 'own'
}

/** The engines of a gateway. @throws TypeError when its options name what is not there. */
export function createEngines({ backends, engines = {}, default: usual }: SearchOptions): Engines {
  const shared = backends.map((given) => candidateOf(given))
  const named = (name: string): Candidate | undefined => shared.find((one) => one.name === name)
  const twice = shared.find((one, index) => named(one.name) !== shared[index])
  if (twice) throw new TypeError(`Two search backends are named "${twice.name}". Give one of them another name.`)

  const listed = (candidates: readonly Candidate[]): Selection['candidates'] => {
    const [first, ...rest] = candidates
    if (!first) throw new TypeError('A search needs a backend.')
    return [first, ...rest]
  }
  /** What the others find is no answer where only this one searches its documents. */
  const withOthers = (first: Candidate): Selection['candidates'] =>
    isOwn(first) ? [first] : [first, ...shared.filter((one) => one !== first && !isOwn(one))]

  const selections = new Map<string, Selection>(
    Object.entries(engines).map(([cx, { backend, title = cx, sites = [] }]) => {
      const own = typeof backend === 'string' ? undefined : candidateOf(backend, `${cx}/`)
      const first = own ?? named(String(backend))
      if (!first) throw new TypeError(`The engine "${cx}" names the search backend "${String(backend)}", which is not there.`)
      const read = sites.map((site) => readSite(site, `sites of the engine "${cx}"`))
      return [cx, { title, engine: cx, sites: read, candidates: own ? [own] : withOthers(first) }]
    }),
  )

  const fallback = (): Selection => {
    const engine = usual === undefined ? undefined : selections.get(usual)
    if (engine) return engine
    const first = usual === undefined ? shared[0] : named(usual)
    if (!first) throw new TypeError(`The default of search is "${usual}", which is neither an engine nor a backend.`)
    return { title: first.name, engine: first.name, sites: [], candidates: withOthers(first) }
  }
  const whole = shared.length > 0 || usual !== undefined ? fallback() : undefined

  const engineOf = (cx: string | undefined): Selection => {
    const found = cx === undefined ? whole : selections.get(cx)
    if (found) return found
    const known = [...selections.keys()].slice(0, NAMED).map((name) => `"${name}"`)
    const allowed = known.length > 0 ? `Known: ${known.join(', ')}` : 'None is configured'
    throw invalid('cx', cx === undefined ? `cx is missing. ${allowed}.` : `No search engine is configured under this cx. ${allowed}.`)
  }

  return {
    backends: [...new Set([...shared, ...[...selections.values()].flatMap(({ candidates }) => candidates)].map(({ backend }) => backend))],
    select({ cx, vendor }) {
      const selection = engineOf(cx)
      const name = vendor?.trim().toLowerCase()
      if (!name || name === 'auto') return selection
      const found = [...selection.candidates, ...shared].find((one) => one.name.toLowerCase() === name)
      if (found) return { ...selection, candidates: listed([found]) }
      const known = shared.map((one) => one.name).join(', ') || 'none'
      throw invalid('vendor', `Unknown vendor "${name.slice(0, 64)}". Known search backends: ${known}; or leave the header out.`)
    },
  }
}
