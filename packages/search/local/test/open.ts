import { testCall } from '@headgate/conformance'
import type { IndexProgress, IndexReport, SearchPage, SearchQuery } from '@headgate/core/search'
import { onTestFinished } from 'vitest'
import { local } from '../src/index.ts'

export type Wanted = Partial<SearchQuery>

/** A backend at work, for the length of one test. */
export interface Opened {
  search(q: string, wanted?: Wanted): Promise<SearchPage>
  /** The titles that a search finds, the best first. */
  titles(q: string, wanted?: Wanted): Promise<(string | undefined)[]>
  index(onProgress?: (progress: IndexProgress) => void, signal?: AbortSignal): Promise<IndexReport>
  close(): Promise<void>
  readonly warnings: string[]
}

/** Starts the backend; without `dataDir` nothing is kept. */
export function openLocal(config: Parameters<typeof local>[0], dataDir?: string): Opened {
  const backend = local(config)
  const run = 'run' in backend.search ? backend.search.run : undefined
  const warnings: string[] = []
  backend.start?.({ dataDir, onWarning: (message) => warnings.push(message) })
  const close = async () => backend.close?.()
  onTestFinished(close)

  const search = async (q: string, wanted: Wanted = {}) => {
    const page = await run?.(
      { q, limit: 10, offset: 0, page: 0, parameters: {}, ...wanted },
      new AbortController().signal,
      testCall(),
    )
    if (!page) throw new Error('The backend does not run in this process.')
    return page
  }
  return {
    search,
    close,
    warnings,
    titles: async (q, wanted) => (await search(q, wanted)).items.map(({ title }) => title),
    async index(onProgress = () => undefined, signal = new AbortController().signal) {
      const report = await backend.index?.({ signal, onProgress })
      if (!report) throw new Error('The backend has no index.')
      return report
    },
  }
}

/** The backend once everything is in its index. */
export async function openIndexed(config: Parameters<typeof local>[0], dataDir?: string): Promise<Opened> {
  const opened = openLocal(config, dataDir)
  await opened.index()
  return opened
}
