import { defineSearchBackend } from '@headgate/core/search'
import { configSchema } from './config.ts'
import { localIndex } from './local-index.ts'
import { isManual, sourcesOf } from './sources.ts'

/**
 * Index of local documents: folders of Markdown, HTML, text and PDF, sitemaps, JSON feeds.
 *
 * SQLite's full-text search stores it in the data directory, in separate threads. Without a source it contains
 * Headgate's documentation, so that the first search of a new installation has results; its threads start with this
 * search.
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
      paging: { by: 'offset', perCall: 100, maxResults: 1_000 },
      supports: ['siteSearch', 'dateRestrict', 'lr', 'exactTerms', 'excludeTerms', 'orTerms', 'fileType'],
      // Documents without a language match every language.
      changes: ({ lr }) => (lr === undefined ? [] : ['lr']),
      corpus: 'own',
      price: { id: 'own', calls: 0 },
      search: { run: search },
      start,
      index,
      close,
    }
  },
)
