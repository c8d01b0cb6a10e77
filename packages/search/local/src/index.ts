import { defineSearchBackend } from '@headgate/core/search'
import { configSchema } from './config.ts'
import { localIndex } from './local-index.ts'
import { isManual, sourcesOf } from './sources.ts'

/**
 * An index of one's own documents: folders of Markdown, HTML, text and PDF, sitemaps, JSON feeds.
 *
 * It is kept by SQLite's full-text search in the data directory, by threads of its own. Without a source it holds
 * Headgate's documentation, so that the first search of a new installation answers; until then nothing of it runs.
 */
export const local = defineSearchBackend(
  { id: 'local', title: 'Local', config: configSchema, env: { path: ['HEADGATE_SEARCH_PATH'] }, enable: 'last-resort' },
  (config) => {
    const { search, start, index, close } = localIndex(sourcesOf(config), {
      watch: config.watch,
      lazy: isManual(config),
    })
    return {
      credential: { kind: 'none' },
      paging: { by: 'offset', perCall: 100, reach: 1_000 },
      carries: ['siteSearch', 'dateRestrict', 'lr', 'exactTerms', 'excludeTerms', 'orTerms', 'fileType'],
      // A document that does not say its language is found in every one.
      changes: ({ lr }) => (lr === undefined ? [] : ['lr']),
      corpus: 'own',
      price: { id: 'own', call: 0 },
      search: { run: search },
      start,
      index,
      close,
    }
  },
)
