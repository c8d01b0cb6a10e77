import type { FoundPage } from '@headgate/core/canonical'
import { asError, HeadgateError } from '@headgate/core/errors'
import { now } from '../../clock.ts'
import type { Core } from '../../serve/core.ts'
import { searchesOf } from '../../serve/permission.ts'
import type { WebSearch, WebSearchQuery } from '../../serve/web-search.ts'
import { callBackend } from './call.ts'
import type { SearchCandidate } from './engines.ts'
import { createList } from './list.ts'
import type { SearchInput } from './parameters.ts'
import { healthTargetOf, planSearch } from './plan.ts'
import type { SearchResult } from './results.ts'
import { isWithin, readSite, type Sites } from './site.ts'
import type { SearchState } from './state.ts'
import { plainText } from './text.ts'

function sitesOf({ include, exclude }: WebSearchQuery): Sites {
  const read = (sites: readonly string[]) => sites.map((site) => readSite(site, 'domains'))
  return { include: read(include), exclude: read(exclude) }
}

/** The caller's sites replace the engine's included sites; the engine's excluded sites still apply. */
function withEngineSites(own: Sites, asked: Sites): Sites {
  return { include: own.include.length > 0 ? own.include : asked.include, exclude: [...own.exclude, ...asked.exclude] }
}

function pageOf({ link, title, snippet, published }: SearchResult, markup: boolean): FoundPage {
  const texts = { title: plainText(title, markup), snippet: plainText(snippet, markup) }
  return {
    url: link,
    ...(texts.title !== '' && { title: texts.title }),
    ...(texts.snippet !== '' && { snippet: texts.snippet }),
    ...(published !== undefined && { published: String(published) }),
  }
}

/** Web search for other families. It tries this family's backends in order, each once. */
export function createWebSearch(core: Core, { engines }: SearchState): WebSearch {
  return {
    isOpenTo: (principal) => engines.web(searchesOf(principal)) !== undefined,
    async find(context, wish, { signal, spending }) {
      const selection = engines.web(searchesOf(context.principal))
      if (!selection) throw new HeadgateError('forbidden', 'This key cannot search.')
      const { q, count, country } = wish
      const request: SearchInput = {
        q,
        cx: undefined,
        num: count,
        start: 1,
        losses: [],
        parameters: country === undefined ? {} : { gl: country.toLowerCase() },
      }
      const asked = sitesOf(wish)
      const sites = withEngineSites({ include: selection.sites, exclude: [] }, asked)
      const isWell = (candidate: SearchCandidate): boolean =>
        core.health.isHealthy(healthTargetOf({ candidate }), now())
      const { candidates } = selection
      let failure: HeadgateError | undefined
      for (const candidate of [...candidates.filter(isWell), ...candidates.filter((one) => !isWell(one))]) {
        const plan = planSearch(request, candidate, sites)
        try {
          const list = createList(candidate.backend.paging, sites)
          const { items } = await list.window(
            request,
            (step) => callBackend(core, context, plan, step, signal, spending),
            signal,
          )
          core.health.served(healthTargetOf(plan), now())
          return items
            .filter(({ url }) => isWithin(url, asked))
            .map((item) => pageOf(item, candidate.backend.markup ?? false))
        } catch (error) {
          failure = asError(error)
          if (signal.aborted || failure.kind === 'over-budget' || failure.kind === 'unavailable') throw failure
          core.health.failed(healthTargetOf(plan), failure, now())
        }
      }
      throw failure ?? new HeadgateError('upstream', 'No search backend responded.')
    },
  }
}
